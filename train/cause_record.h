// The first cause of a bad step, from all ranks, for files and for people.

#ifndef GYRE_TRAIN_CAUSE_RECORD_H_
#define GYRE_TRAIN_CAUSE_RECORD_H_

#include <string>
#include <vector>

#include "core/io/json.h"
#include "train/batch.h"
#include "train/train_step.h"

namespace gyre {

// {"step": 412, "reason": "...", "first": {...}, "ranks": [{...}, ...]}
//
// A rank's entry: "rank", "found"; where found "operation", "phase", "line",
// "value", "element", "shape", "dtype", "bad", "operands", "path", "reached",
// "received" (another rank made it), "sample", "sample_name" (where the
// element lies in one sample's part), and "text", all of it as a sentence.
// "first" is the entry of the lowest rank that made a bad number itself, or
// null: then the number appeared after the backward pass.
//
// Collective: all ranks call it after a step whose verdict has reasons.
StatusOr<Json> GatherCauses(TrainStep& step,
                            const StepReport& report,
                            const SampleBatch& batch,
                            const BatchSource& source);

}  // namespace gyre

#endif  // GYRE_TRAIN_CAUSE_RECORD_H_

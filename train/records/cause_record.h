// The first cause of a bad step, from all ranks, for files and for people.

#ifndef GYRE_TRAIN_RECORDS_CAUSE_RECORD_H_
#define GYRE_TRAIN_RECORDS_CAUSE_RECORD_H_

#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// {"step": 412, "reason": "...", "first": {...}, "ranks": [{...}, ...]}
//
// A rank's entry: "rank", "found"; where found "operation", "phase", "line",
// "value", "element", "shape", "dtype", "bad", "operands", "path", "reached",
// "received" (another rank made it), "sent" (it left for another rank alone),
// "harmed" (this rank's loss or a gradient is bad),
// "order" (of the step's operations; inputs have -1), "sample", "sample_name"
// and "where" (where the element lies in one sample's part; the last as the
// source names it), and "text", all of it as a sentence. "first" is the entry
// of the rank that was first in the order of the step, or null: then the number
// appeared after the backward pass. Where that entry is a received one, no rank
// had made it: the collective did.
//
// Collective: all ranks call it after a step whose verdict has reasons.
StatusOr<Json> GatherCauses(TrainStep& step,
                            const StepReport& report,
                            const SampleBatch& batch,
                            const BatchSource& source);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RECORDS_CAUSE_RECORD_H_

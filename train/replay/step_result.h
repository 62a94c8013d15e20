// What came out of a step, to the bit: to hold two runs of one step against
// each other.

#ifndef GYRE_TRAIN_REPLAY_STEP_RESULT_H_
#define GYRE_TRAIN_REPLAY_STEP_RESULT_H_

#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// {"loss", "norm", "bad", "verdict": {"action", "reasons", "id", "text", ...},
//  "ranks": [{"rank", "loss", "loss_bits", "local_norm", "local_norm_bits",
//             "bad_elements", "local_gradient", "reduced_gradient"}]}
//
// Gradients are hashes: this rank's own, as the backward pass makes it, before
// faults and repairs, and the sum that all ranks have. "bad" is true when the
// guard found something that is not finite.
//
// Collective, after a step and before the next; the same on all ranks.
StatusOr<Json> GatherStepResult(TrainStep& step,
                                const StepReport& report,
                                const SampleBatch& batch);

struct ResultDifference {
  int rank = -1;     // -1: of the verdict, which all ranks share
  std::string what;  // "local_gradient"
  std::string a;     // as text
  std::string b;
};

// What must be equal and is not. An error when one of them is no result.
StatusOr<std::vector<ResultDifference>> CompareResults(const Json& a,
                                                       const Json& b);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_STEP_RESULT_H_

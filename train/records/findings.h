// Who had what: the ranks' local findings of a bad step, put together.

#ifndef GYRE_TRAIN_RECORDS_FINDINGS_H_
#define GYRE_TRAIN_RECORDS_FINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

struct TensorCount {
  std::string tensor;
  std::int64_t nan = 0;
  std::int64_t inf = 0;
  std::int64_t first_element = 0;
  // Of one that is finite and too large: its norm on this rank, of which
  // `first_element` has the largest share.
  double norm = 0;
};

struct RankFindings {
  int rank = 0;
  bool bad_loss = false;
  std::vector<TensorCount> tensors;
  std::vector<std::int64_t> samples;  // of its part of the batch
};

// Gathers what each rank found in its own gradient before the reduction.
// Collective: all ranks call it after a step whose verdict has reasons, which
// is equal on all. Only ranks with a bad gradient are listed; where no
// gradient was bad, those with a bad loss; where all is finite and the norm was
// refused, those that hold most of it, and the tensors that do.
StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source);
// The same for one micro-batch of the step, with its samples alone.
StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source,
                                                   const MicroFinding& micro);

// {"step", "ranks", "tensors", "samples", ...}: for events and summaries.
Json FindingsJson(const std::vector<RankFindings>& findings,
                  const BatchSource& source);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RECORDS_FINDINGS_H_

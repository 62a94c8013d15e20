// Where the faults of a plan enter a training step (train/faults/fault.h).

#ifndef GYRE_TRAIN_FAULTS_INJECT_H_
#define GYRE_TRAIN_FAULTS_INJECT_H_

#include <memory>
#include <vector>

#include "gyre/autodiff/var.h"
#include "gyre/optim/layout.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/faults/fault.h"

namespace gyre::internal::inline train {

// The faults of the step in progress, the same list on all ranks.
struct StepFaults {
  FaultPlan plan;
  int rank = 0;
  std::vector<FaultHit> hits = {};
  int injected = 0;  // on this rank

  void Begin(std::int64_t step, int ranks);
};

// The batch with this rank's faults in it; the caller's tensors stay as they
// are.
SampleBatch WithDataFaults(const SampleBatch& batch, StepFaults& faults);

// The model's output, as the loss sees it. Only a plan with faults in
// activations has this operation.
Var WithActivationFaults(Var prediction,
                         const std::shared_ptr<StepFaults>& faults);

// Into this rank's gradient, before the guard looks: what falls into tensors
// [begin, end).
void WriteGradientFaults(const optim::FlatLayout& layout,
                         StepFaults& faults,
                         float* grads,
                         int begin,
                         int end);

// Into the reduced gradient, after the guard has judged it, on all ranks.
void WriteUpdateFaults(const optim::FlatLayout& layout,
                       StepFaults& faults,
                       float* grads);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_FAULTS_INJECT_H_

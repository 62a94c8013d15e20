// A step in several parts: gradients of micro-batches, added up.
//
// Every rank's batch is cut along its first axis into equal micro-batches. The
// plan runs once for each, and its gradient is added to a sum; after the last
// one the step ends with that sum, as it does with the gradient of a whole
// batch. It is the mean over the micro-batches that were accepted.
//
// Each is judged alone, by all ranks together, right after its backward pass:
// the ranks exchange their notes in a barrier, and a bad one is left out on
// all of them (skip), repaired (zero), taken without the bad ranks
// (drop_rank), or ends the run (halt).
//
// A masked mean is that over the whole batch: what it divides by is pooled over
// the micro-batches first (train/step/denominators.h).
//
// WARNING 1: a loss that divides by a count of its own, not by masked_mean's,
// or by weights that are made of parameters, weighs every micro-batch alike.

#ifndef GYRE_TRAIN_STEP_MICRO_BATCHES_H_
#define GYRE_TRAIN_STEP_MICRO_BATCHES_H_

#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/scan.h"
#include "gyre/train/step/step_report.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

class MicroBatches {
 public:
  // `grads`: the flat gradient, which each backward pass fills.
  MicroBatches(const TrainState& state, float* grads, int count);

  int count() const { return count_; }
  bool several() const { return count_ > 1; }
  // Of them: in the sum, and with findings.
  int accepted() const { return accepted_; }
  const std::vector<MicroFinding>& bad() const { return bad_; }
  // The model's buffers, as the last accepted one left them; null without
  // several.
  float* buffers() const { return reinterpret_cast<float*>(buffers_.get()); }

  void Begin();
  // Adds the gradient of micro-batch `index`, in which the guard has found
  // `findings`, unless the ranks find that it is to be left out. Collective.
  Status Take(int index, const optim::LocalFindings& findings);
  // Puts the mean in the place of the gradient.
  void PutMeanInPlace();
  // The verdict on the step, where those on its parts have a say.
  optim::Verdict Overrule(optim::Verdict verdict) const;

 private:
  StatusOr<optim::Verdict> Agree(int index,
                                 const optim::LocalFindings& findings) const;
  void Add(float factor);
  float* sum() const { return reinterpret_cast<float*>(sum_.get()); }

  const TrainState& state_;
  float* const grads_;
  const int count_;
  AlignedBuffer sum_;  // of accepted gradients
  AlignedBuffer buffers_;
  int accepted_ = 0;
  std::vector<MicroFinding> bad_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_MICRO_BATCHES_H_

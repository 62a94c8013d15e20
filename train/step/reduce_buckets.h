// A reducer that adds gradients over the ranks while the backward pass still
// runs.
//
// The flat gradient is cut into buckets of whole tensors. As soon as all
// gradients of a bucket are there, the guard looks at them, and they are
// posted to a lane (mesh/lane.h), the last tensors first, as the backward pass
// makes them. The step waits for all of them before it is judged. The same
// bits come out for any buckets.

#ifndef GYRE_TRAIN_STEP_REDUCE_BUCKETS_H_
#define GYRE_TRAIN_STEP_REDUCE_BUCKETS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/mesh/lane.h"
#include "gyre/train/step/reducer.h"

namespace gyre::internal::inline train {

// Tensors [begin, end).
struct GradientBucket {
  int begin = 0;
  int end = 0;
  std::int64_t offset = 0;  // in elements, as `count`
  std::int64_t count = 0;
};

// In the order of the layout, of at least so many bytes each, but for the
// first.
std::vector<GradientBucket> CutIntoBuckets(const optim::FlatLayout& layout,
                                           std::size_t bytes);

// The size of buckets for a step; 0: its gradients are added in one go.
std::size_t BucketBytes(const TrainSpec& spec, const GradientSync& sync);

class BucketReducer final : public Reducer {
 public:
  // Collective.
  static StatusOr<std::unique_ptr<Reducer>> Create(const TrainState& state,
                                                   float* grads,
                                                   std::size_t bytes);

  std::span<const GradientBucket> list() const { return buckets_; }

  // Posts bucket `i`, from the last to the first. The note of the first, which
  // is posted last, reaches all ranks.
  void Post(std::size_t i, const Note& note);

  // Waits for all of them.
  StatusOr<ReducedGradient> Reduce(const ReduceInput& input) override;
  BucketReducer* buckets() override { return this; }

 private:
  BucketReducer(const TrainState& state,
                float* grads,
                std::vector<GradientBucket> buckets,
                std::unique_ptr<Lane> lane);

  const std::vector<GradientBucket> buckets_;
  const std::unique_ptr<Lane> lane_;
  std::vector<Handle> handles_;  // of the step, in the order of posting
};

// Makes a plan tell StepContext::listener that the gradients of bucket `i` are
// there, as soon as they are; the listener finds the loss as the first operand
// with the first bucket. They are told from the last bucket to the first.
void RecordBuckets(Tape& tape,
                   std::span<const GradientBucket> buckets,
                   Var loss,
                   std::span<const Var> grads);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_REDUCE_BUCKETS_H_

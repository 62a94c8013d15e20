#include "gyre/train/step/reduce_buckets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gyre/optim/norm.h"
#include "gyre/train/step/ready_op.h"

namespace gyre::internal::inline train {
std::vector<GradientBucket> CutIntoBuckets(const optim::FlatLayout& layout,
                                           std::size_t bytes) {
  std::vector<GradientBucket> buckets;  // from the last to the first
  std::int64_t end = layout.elements();
  int last = layout.count();
  for (int t = layout.count() - 1; t >= 0; --t) {
    const std::int64_t count = end - layout[t].offset;
    if (t > 0 && count * sizeof(float) < bytes) continue;
    buckets.push_back(
        {.begin = t, .end = last, .offset = layout[t].offset, .count = count});
    end = layout[t].offset;
    last = t;
  }
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

std::size_t BucketBytes(const TrainSpec& spec, const GradientSync& sync) {
  constexpr std::size_t kOverNetwork = std::size_t{4} << 20;
  const bool fits = sync.in_one_piece() && !spec.shard_states &&
                    spec.micro_batches == 1 && spec.mesh.size() > 1 &&
                    !spec.optimizer.guard().MayDropRanks();
  if (!fits) return 0;
  const bool one_host = spec.mesh.world().shares_memory();
  return spec.bucket_bytes.value_or(one_host ? 0 : kOverNetwork);
}

BucketReducer::BucketReducer(const TrainState& state,
                             float* grads,
                             std::vector<GradientBucket> buckets,
                             std::unique_ptr<Lane> lane)
    : Reducer(state, grads),
      buckets_(std::move(buckets)),
      lane_(std::move(lane)) {}

StatusOr<std::unique_ptr<Reducer>> BucketReducer::Create(
    const TrainState& state, float* grads, std::size_t bytes) {
  GYRE_ASSIGN_OR_RETURN(
      std::unique_ptr<Lane> lane,
      Lane::Create(state.mesh().world(), {.label = "gradients"}));
  return std::unique_ptr<Reducer>(new BucketReducer(
      state, grads, CutIntoBuckets(state.layout(), bytes), std::move(lane)));
}

void BucketReducer::Post(std::size_t i, const Note& note) {
  if (i + 1 == buckets_.size()) handles_.clear();
  float* const grads = grads_ + buckets_[i].offset;
  handles_.push_back(lane_->AllReduce(grads,
                                      grads,
                                      buckets_[i].count,
                                      DType::kF32,
                                      ReduceOp::kSum,
                                      SiteOf(i, note)));
}

StatusOr<ReducedGradient> BucketReducer::Reduce(const ReduceInput&) {
  for (Handle& handle : handles_) GYRE_RETURN_IF_ERROR(handle.Wait());
  const double norm = optim::GlobalNorm(
      state_.optimizer().guard().norm, grads_, state_.layout().elements());
  return Keep(handles_.back().records(), norm);
}

void RecordBuckets(Tape& tape,
                   std::span<const GradientBucket> buckets,
                   Var loss,
                   std::span<const Var> grads) {
  const Tape::Scope scope(tape, Phase::kBackward);
  Var told;  // by the operation before
  for (std::size_t i = buckets.size(); i-- > 0;) {
    std::vector<Var> operands;
    if (i == 0) operands.push_back(loss);
    for (int t = buckets[i].begin; t < buckets[i].end; ++t) {
      operands.push_back(grads[t]);
    }
    if (told.valid()) operands.push_back(told);
    told = RecordReady(
        tape, Cat("gradients of bucket ", i), static_cast<int>(i), operands);
  }
}

}  // namespace gyre::internal::inline train

#include "gyre/train/step/reduce_shards.h"

#include <algorithm>
#include <vector>

#include "gyre/core/check.h"

namespace gyre::internal::inline train {

ShardReducer::ShardReducer(const TrainState& state, float* grads)
    : Reducer(state, grads),
      staging_(AllocateAligned(state.shards().largest() * sizeof(float))) {
  GYRE_CHECK(staging_ != nullptr, "no memory for a part of the gradient");
}

Status ShardReducer::AddRange(std::size_t i, const ReduceInput& input) {
  const SyncRange& range = state_.sync().ranges()[i];
  const StateWindow window = WindowOf(i);
  Communicator* const group = state_.mesh().Group(range.axes);
  if (group == nullptr) return OkStatus();
  // Not in place: ranks still read each other's shares.
  GYRE_RETURN_IF_ERROR(group->ReduceScatter(grads_ + range.offset,
                                            staging(),
                                            window.count,
                                            DType::kF32,
                                            ReduceOp::kSum,
                                            SiteOf(i, input.note)));
  std::copy_n(staging(), window.count, grads_ + window.first);
  return OkStatus();
}

StateWindow ShardReducer::WindowOf(std::size_t i) const {
  return state_.shards().windows()[i];
}

AxisSet ShardReducer::SpreadOf(int tensor) const {
  const TensorMesh& t = state_.sync().tensor(tensor);
  return t.part.axes | t.reduce;
}

optim::UpdateResult ShardReducer::UpdateWindow(std::size_t i,
                                               double grad_scale) const {
  const SyncRange& range = state_.sync().ranges()[i];
  const StateWindow window = WindowOf(i);
  std::vector<const float*> from;
  for (const float* values : state_.front().read().states) {
    from.push_back(values + window.kept_at);
  }
  std::vector<float*> to;
  for (float* values : state_.back().states()) {
    to.push_back(values + window.kept_at);
  }
  optim::UpdateArgs args = UpdateOf(grad_scale);
  args.from.states = from;
  args.to.states = to;
  args.begin = range.begin;
  args.end = range.end;
  args.window_first = window.first;
  args.window_count = window.count;
  return state_.optimizer().Update(args);
}

Status ShardReducer::GatherParameters(std::size_t i) const {
  const SyncRange& range = state_.sync().ranges()[i];
  const StateWindow window = WindowOf(i);
  Communicator* const group = state_.mesh().Group(range.axes);
  if (group == nullptr) return OkStatus();
  float* const params = state_.back().params();
  std::copy_n(params + window.first, window.count, staging());
  return group->AllGather(staging(),
                          params + range.offset,
                          window.count,
                          DType::kF32,
                          {.label = "new parameters",
                           .loc = SourceLoc::Current(),
                           .bucket = static_cast<std::int32_t>(i),
                           .step = state_.next_step()});
}

StatusOr<optim::UpdateResult> ShardReducer::Update(double grad_scale) {
  const std::size_t ranges = state_.sync().ranges().size();
  optim::UpdateResult result;
  for (std::size_t i = 0; i < ranges; ++i) {
    result.Add(UpdateWindow(i, grad_scale));
  }
  GYRE_RETURN_IF_ERROR(AgreeOnUpdate(result));
  for (std::size_t i = 0; i < ranges; ++i) {
    GYRE_RETURN_IF_ERROR(GatherParameters(i));
  }
  return result;
}

}  // namespace gyre::internal::inline train

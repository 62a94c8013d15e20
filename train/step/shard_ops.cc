#include "gyre/train/step/shard_ops.h"

#include <algorithm>
#include <vector>

#include "gyre/train/step/sync_ops.h"

namespace gyre::internal::inline train {
namespace {

float* Staging(StepState& s) {
  return reinterpret_cast<float*>(s.staging.get());
}

}  // namespace

Status ScatterGradients(StepState& s, std::size_t i, const Note& note) {
  const SyncRange& range = s.sync.ranges()[i];
  const StateWindow& window = s.shards.windows()[i];
  Communicator* const group = s.mesh.Group(range.axes);
  if (group == nullptr) return OkStatus();
  // Not in place: ranks still read each other's shares.
  GYRE_RETURN_IF_ERROR(group->ReduceScatter(s.grads + range.offset,
                                            Staging(s),
                                            window.count,
                                            DType::kF32,
                                            ReduceOp::kSum,
                                            GradientSite(s, i, note)));
  std::copy_n(Staging(s), window.count, s.grads + window.first);
  return OkStatus();
}

optim::UpdateResult UpdateWindows(StepState& s) {
  optim::UpdateResult result;
  for (std::size_t i = 0; i < s.sync.ranges().size(); ++i) {
    const SyncRange& range = s.sync.ranges()[i];
    const StateWindow& window = s.shards.windows()[i];
    std::vector<const float*> from;
    for (const float* state : s.current().read().states) {
      from.push_back(state + window.kept_at);
    }
    std::vector<float*> to;
    for (float* state : s.next().states()) to.push_back(state + window.kept_at);
    result.Add(s.optimizer.Update({
        .layout = &s.layout,
        .traits = s.traits,
        .state_layouts = s.state_layouts,
        .grads = s.grads,
        .from = {s.current().params(), from},
        .to = {s.next().params(), to},
        .grad_scale = s.verdict.grad_scale(),
        .applied_steps = s.guard.applied,
        .begin = range.begin,
        .end = range.end,
        .window_first = window.first,
        .window_count = window.count,
    }));
  }
  return result;
}

Status GatherParameters(StepState& s) {
  for (std::size_t i = 0; i < s.sync.ranges().size(); ++i) {
    const SyncRange& range = s.sync.ranges()[i];
    const StateWindow& window = s.shards.windows()[i];
    Communicator* const group = s.mesh.Group(range.axes);
    if (group == nullptr) continue;
    float* const params = s.next().params();
    std::copy_n(params + window.first, window.count, Staging(s));
    GYRE_RETURN_IF_ERROR(
        group->AllGather(Staging(s),
                         params + range.offset,
                         window.count,
                         DType::kF32,
                         {.label = "new parameters",
                          .loc = SourceLoc::Current(),
                          .bucket = static_cast<std::int32_t>(i),
                          .step = s.step}));
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline train

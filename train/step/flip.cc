#include "gyre/train/step/flip.h"

#include <bit>
#include <cstdint>

namespace gyre::internal::inline train {
namespace {

// Where a flip goes: nothing for a tensor of which the state has no part.
float* Target(const TrainState& state, const FaultHit& hit) {
  const bool moment = hit.place == FaultPlace::kMoment;
  if (moment && state.state_layouts().empty()) return nullptr;
  if (moment && state.shards().on()) {
    // Of what this rank keeps, whatever the tensor.
    return state.front().states()[0] + hit.Element(state.shards().kept());
  }
  const optim::FlatLayout& layout =
      moment ? state.state_layouts()[0] : state.layout();
  float* const flat =
      moment ? state.front().states()[0] : state.front().params();
  const int tensor = hit.tensor.empty()
                         ? static_cast<int>(hit.Tensor(layout.count()))
                         : layout.Find(hit.tensor);
  if (tensor < 0 || layout[tensor].size == 0) return nullptr;
  return flat + layout[tensor].offset + hit.Element(layout[tensor].size);
}

}  // namespace

Status CheckFlips(const FaultPlan& faults,
                  const optim::AnyOptimizer& optimizer,
                  const optim::FlatLayout& layout) {
  if (!faults.MayHit(FaultPlace::kMoment)) return OkStatus();
  const auto states = optimizer.MakeStateLayouts(layout);
  if (!states.empty() && states[0].count() > 0) return OkStatus();
  return ConfigError("--inject: flip_moment, but the optimizer ",
                     optimizer.Describe(),
                     " keeps no state; use flip_param");
}

void FlipBits(const TrainState& state, StepFaults& faults) {
  for (const FaultHit& hit : faults.hits) {
    if (hit.value != FaultValue::kFlip || hit.rank != faults.rank) continue;
    float* const target = Target(state, hit);
    if (target == nullptr) continue;
    *target = std::bit_cast<float>(std::bit_cast<std::uint32_t>(*target) ^
                                   (1u << hit.bit));
    ++faults.injected;
  }
}

}  // namespace gyre::internal::inline train

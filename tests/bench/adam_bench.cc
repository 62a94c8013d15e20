// One Adam update of five million parameters.

#include <array>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/check.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/schedule.h"
#include "tests/bench/cpu_watch.h"
#include "tests/bench/roofline.h"

namespace gyre::internal::inline tests::bench {
namespace {

void AdamUpdate(benchmark::State& state) {
  constexpr std::int64_t kCount = 5'000'000;
  optim::FlatLayout layout;
  GYRE_CHECK(layout.Add("w", {kCount}).ok());
  const optim::AnyOptimizer adam =
      optim::Chain(optim::Guard{}, optim::Adam(1e-3));
  const auto traits = adam.MakeTraits(layout);
  const auto state_layouts = adam.MakeStateLayouts(layout);
  std::array<AlignedBuffer, 7> arrays;
  std::array<float*, 7> at;
  for (int i = 0; i < 7; ++i) {
    arrays[i] = AllocateAligned(layout.bytes());
    at[i] = reinterpret_cast<float*>(arrays[i].get());
    std::fill_n(at[i], layout.elements(), 0.0f);
    std::fill_n(at[i], kCount, 0.01f * static_cast<float>(i + 1));
  }
  const std::array<const float*, 2> old_states = {at[2], at[3]};
  const std::array<float*, 2> new_states = {at[5], at[6]};
  const CpuWatch watch;
  for (auto _ : state) {
    const optim::UpdateResult result =
        adam.Update({.layout = &layout,
                     .traits = traits,
                     .state_layouts = state_layouts,
                     .grads = at[0],
                     .from = {at[1], old_states},
                     .to = {at[4], new_states},
                     .grad_scale = 1,
                     .applied_steps = 10});
    GYRE_CHECK(result.non_finite == 0);
  }
  ReportRoofline(state,
                 watch.Seconds() / static_cast<double>(state.iterations()),
                 7.0 * layout.bytes() / MemoryBandwidth());
}
BENCHMARK(AdamUpdate)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench

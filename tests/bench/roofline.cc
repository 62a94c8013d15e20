#include "tests/bench/roofline.h"

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "gyre/autodiff/exec/dnnl_support.h"
#include "tests/bench/cpu_watch.h"

namespace gyre::internal::inline tests::bench {
namespace {

// The shortest time of `body` within about 0.2 s, from runs that are long
// beside the clock's own cost.
template <class F>
double Best(F body) {
  body();  // pages and caches
  const CpuWatch one;
  body();
  const int count = std::max(1, static_cast<int>(2e-4 / one.Seconds()));
  double best = 1e30;
  const CpuWatch total;
  for (int i = 0; i < 3 || total.Seconds() < 0.2; ++i) {
    const CpuWatch watch;
    for (int k = 0; k < count; ++k) body();
    best = std::min(best, watch.Seconds() / count);
  }
  return best;
}

}  // namespace

double GemmSeconds(std::int64_t m, std::int64_t k, std::int64_t n) {
  SingleThreaded();
  std::vector<float> a(m * k, 0.5f), b(k * n, 0.25f), c(m * n);
  return Best([&] {
    dnnl_sgemm(
        'N', 'N', m, n, k, 1.0f, a.data(), k, b.data(), n, 0.0f, c.data(), n);
    benchmark::DoNotOptimize(c.data());
  });
}

double MemoryBandwidth() {
  constexpr std::size_t kCount = std::size_t{1} << 24;  // 64 MiB each
  std::vector<float> a(kCount, 1.0f), b(kCount, 2.0f), c(kCount);
  const double seconds = Best([&] {
    for (std::size_t i = 0; i < kCount; ++i) c[i] = a[i] + 0.5f * b[i];
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  });
  return 3.0 * kCount * sizeof(float) / seconds;
}

void ReportRoofline(benchmark::State& state,
                    double seconds_per_iteration,
                    double roofline_seconds) {
  state.counters["roofline_us"] = roofline_seconds * 1e6;
  state.counters["of_roofline"] = roofline_seconds / seconds_per_iteration;
}

}  // namespace gyre::internal::inline tests::bench

// Time of an in-place f32 all-reduce in the communicator's own memory.
//
//   gyre launch -n 2 -- all_reduce_bench
//
// Rank 0 prints one line a size: bytes, median and best time in microseconds.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "apps/runtime/run_main.h"
#include "core/clock.h"

namespace gyre {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kSizes[] = {8,
                                  kKiB,
                                  4 * kKiB,
                                  16 * kKiB,
                                  64 * kKiB,
                                  512 * kKiB,
                                  4096 * kKiB,
                                  32768 * kKiB};
constexpr int kWarmUp = 20;

struct Times {
  double median;
  double best;
};

StatusOr<Times> Measure(Communicator& comm, float* data, std::size_t bytes) {
  const int rounds = bytes >= kKiB * kKiB ? 100 : 1000;
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + rounds; ++i) {
    const std::int64_t start = NowNanos();
    GYRE_RETURN_IF_ERROR(comm.AllReduce(data,
                                        data,
                                        bytes / sizeof(float),
                                        DType::kF32,
                                        ReduceOp::kMean,
                                        {.label = "bench"}));
    if (i >= kWarmUp) times.push_back((NowNanos() - start) * 1e-3);
  }
  std::sort(times.begin(), times.end());
  return Times{times[times.size() / 2], times.front()};
}

Status Run(World& world) {
  Communicator& comm = world.comm();
  const std::size_t largest =
      *std::max_element(std::begin(kSizes), std::end(kSizes));
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer buffer,
                        comm.Allocate(largest, {.label = "bench"}));
  float* const data = reinterpret_cast<float*>(buffer.data);
  std::fill_n(data, largest / sizeof(float), 1.0f);
  for (const std::size_t bytes : kSizes) {
    GYRE_ASSIGN_OR_RETURN(const Times times, Measure(comm, data, bytes));
    if (world.rank() == 0) {
      std::printf("%9zu %10.2f %10.2f\n", bytes, times.median, times.best);
    }
  }
  return OkStatus();
}

}  // namespace
}  // namespace gyre

int main() { return gyre::RunMain(gyre::Run); }

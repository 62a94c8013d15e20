// What the machine can do at best, measured: the rate of oneDNN's matrix
// product for a shape, and the bandwidth of memory.

#ifndef GYRE_TESTS_BENCH_ROOFLINE_H_
#define GYRE_TESTS_BENCH_ROOFLINE_H_

#include <benchmark/benchmark.h>

#include <cstdint>

namespace gyre::internal::inline tests::bench {

// Seconds for one (m, k) x (k, n) product in f32, the best of several.
double GemmSeconds(std::int64_t m, std::int64_t k, std::int64_t n);

// Bytes a second, read and written, over arrays beyond every cache.
double MemoryBandwidth();

// Adds roofline_us, and of_roofline: the share of it that the measured time
// reaches (1 is the machine's limit).
void ReportRoofline(benchmark::State& state,
                    double seconds_per_iteration,
                    double roofline_seconds);

}  // namespace gyre::internal::inline tests::bench

#endif  // GYRE_TESTS_BENCH_ROOFLINE_H_

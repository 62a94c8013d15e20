// The most memory that the process held since a moment.

#ifndef GYRE_TESTS_BENCH_MEMORY_PEAK_H_
#define GYRE_TESTS_BENCH_MEMORY_PEAK_H_

namespace gyre::internal::inline tests::bench {

// Forgets the peak so far. Linux alone; elsewhere nothing happens.
void ResetMemoryPeak();

// In MiB, resident; 0 where it cannot be asked for.
double MemoryPeak();

}  // namespace gyre::internal::inline tests::bench

#endif  // GYRE_TESTS_BENCH_MEMORY_PEAK_H_

// A plan of a few operations, without the training step around it, for
// benchmarks.

#ifndef GYRE_TESTS_BENCH_REPLAY_H_
#define GYRE_TESTS_BENCH_REPLAY_H_

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "gyre/autodiff/exec/executor.h"

namespace gyre::internal::inline tests::bench {

// Ends the program on an error: a benchmark has nobody to report it to.
std::unique_ptr<Executor> Compile(const Tape& tape,
                                  const std::vector<Var>& results,
                                  const PlanOptions& options = {});

// Times runs; returns the seconds of one.
double TimeRuns(benchmark::State& state, Executor& executor);

}  // namespace gyre::internal::inline tests::bench

#endif  // GYRE_TESTS_BENCH_REPLAY_H_

#include "tests/bench/replay.h"

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/check.h"
#include "tests/bench/cpu_watch.h"

namespace gyre::internal::inline tests::bench {

std::unique_ptr<Executor> Compile(const Tape& tape,
                                  const std::vector<Var>& results,
                                  const PlanOptions& options) {
  auto plan = Plan::Compile(tape, results, options);
  GYRE_CHECK(plan.ok(), Message(plan.status()));
  auto executor = Executor::Create(*plan);
  GYRE_CHECK(executor.ok(), Message(executor.status()));
  return *std::move(executor);
}

double TimeRuns(benchmark::State& state, Executor& executor) {
  GYRE_CHECK(executor.Run({}).ok());  // pages and caches
  const CpuWatch watch;
  for (auto _ : state) GYRE_CHECK(executor.Run({}).ok());
  return watch.Seconds() / static_cast<double>(state.iterations());
}

}  // namespace gyre::internal::inline tests::bench

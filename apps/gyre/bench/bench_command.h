// `gyre bench`: a user's own check of a machine or a network.

#ifndef GYRE_APPS_GYRE_BENCH_BENCH_COMMAND_H_
#define GYRE_APPS_GYRE_BENCH_BENCH_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "bench". The exit code.
int RunBench(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_BENCH_BENCH_COMMAND_H_

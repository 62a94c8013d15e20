#include "apps/gyre/bench/bench_command.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "apps/gyre/bench/bench_options.h"
#include "apps/gyre/bench/byte_sizes.h"
#include "apps/gyre/launch/launcher.h"
#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/collectives/network_options.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/json.h"
#include "gyre/core/log.h"
#include "gyre/runtime/run_main.h"

namespace gyre::internal::inline apps {
namespace {

constexpr int kDefaultRanks = 2;

void PrintTitle(const BenchOptions& options, const Communicator& comm) {
  std::printf("%s, %d ranks, %.*s\n%9s %12s %12s %10s %10s\n",
              options.op_name.c_str(),
              comm.size(),
              static_cast<int>(comm.backend().size()),
              comm.backend().data(),
              "bytes",
              "median us",
              "p99 us",
              "GB/s",
              "copy GB/s");
}

void PrintTimes(const BenchOptions& options,
                const Communicator& comm,
                std::size_t bytes,
                const Times& times,
                double copy) {
  const double gb_per_s =
      1e-3 * static_cast<double>(bytes) / std::max(times.median_us, 1e-3);
  if (options.json) {
    const Json line = Json::Object({{"backend", comm.backend()},
                                    {"op", options.op_name},
                                    {"ranks", comm.size()},
                                    {"bytes", bytes},
                                    {"median_us", times.median_us},
                                    {"p99_us", times.p99_us},
                                    {"gb_per_s", gb_per_s},
                                    {"best_us", times.best_us},
                                    {"rounds", times.rounds},
                                    {"copy_gb_per_s", copy}});
    std::printf("%s\n", line.Dump().c_str());
  } else {
    std::printf("%9s %12.2f %12.2f %10.3f %10.2f\n",
                ByteSizeText(bytes).c_str(),
                times.median_us,
                times.p99_us,
                gb_per_s,
                copy);
  }
  std::fflush(stdout);
}

// Two buffers a rank, and room for the rest of the machine.
std::size_t LargestThatFits(int ranks) {
  return AvailableMemory() / 4 / 2 / static_cast<std::size_t>(ranks);
}

// The sizes to measure; rank 0 chooses, since memory comes and goes.
StatusOr<std::vector<std::size_t>> Sizes(const BenchOptions& options,
                                         Communicator& comm) {
  std::vector<std::size_t> sizes = options.sizes;
  std::int64_t count = static_cast<std::int64_t>(sizes.size());
  if (options.default_sizes) {
    const std::size_t largest = LargestThatFits(comm.size());
    count = std::count_if(sizes.begin(), sizes.end(), [&](std::size_t size) {
      return size <= largest;
    });
  }
  GYRE_RETURN_IF_ERROR(
      comm.Broadcast(&count, 1, DType::kI64, 0, {.label = "bench sizes"}));
  sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)));
  return sizes;
}

Status Measure(const BenchOptions& options, Communicator& comm) {
  if (options.ranks != 0 && options.ranks != comm.size()) {
    return ConfigError("gyre bench: -n ",
                       options.ranks,
                       ", but it was started with ",
                       comm.size(),
                       " ranks; leave out -n");
  }
  const bool first = comm.rank() == 0;
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::size_t> sizes,
                        Sizes(options, comm));
  GYRE_ASSIGN_OR_RETURN(
      Measurement measurement,
      Measurement::Create(comm, *std::max_element(sizes.begin(), sizes.end())));
  if (first && !options.json) PrintTitle(options, comm);
  for (const std::size_t size : sizes) {
    const std::size_t bytes = WholeBytes(options.op, size, comm.size());
    const double copy = first ? CopyGbPerS(bytes) : 0;
    GYRE_ASSIGN_OR_RETURN(const Times times,
                          measurement.Run({.op = options.op,
                                           .bytes = bytes,
                                           .payload = options.payload,
                                           .form = options.form,
                                           .seconds = options.seconds}));
    if (first) PrintTimes(options, comm, bytes, times, copy);
  }
  return OkStatus();
}

int Fail(const Status& status) {
  LogError(Message(status));
  return ExitCodeOf(status);
}

// The environment of a rank, with the options in it: gyre's own launcher has
// put them there, others know nothing of them.
EnvReader WithNetworkOptions(const BenchOptions& options) {
  const auto variables =
      NetworkVariables({options.collectives, options.tls, options.insecure});
  return [variables](const std::string& name) -> std::optional<std::string> {
    if (auto value = ProcessEnv(name); value.has_value()) return value;
    for (const auto& variable : variables) {
      if (variable.first == name) return variable.second;
    }
    return std::nullopt;
  };
}

// Starts this program again, as the ranks.
int LaunchRanks(const BenchOptions& options,
                std::span<const std::string> args) {
  LaunchOptions launch;
  launch.ranks = options.ranks;
  if (launch.ranks == 0 && options.hosts.empty()) launch.ranks = kDefaultRanks;
  launch.hosts = options.hosts;
  launch.rsh = options.rsh;
  launch.network = {options.collectives, options.tls, options.insecure};
  launch.bind = options.bind;
  launch.plain_rank0 = true;
  launch.command = {"/proc/self/exe", "bench"};
  launch.command.insert(launch.command.end(), args.begin(), args.end());
  const auto code = Launch(launch);
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace

int RunBench(std::span<const std::string> args) {
  const auto parsed = ParseBenchOptions(args);
  if (!parsed.ok()) return Fail(parsed.status());
  if (!parsed->has_value()) return kExitDone;
  const BenchOptions& options = **parsed;
  if (options.collectives == "local") {
    LocalWorld world(options.ranks == 0 ? kDefaultRanks : options.ranks);
    const Status status =
        world.Run([&](Communicator& comm) { return Measure(options, comm); });
    return status.ok() ? int{kExitDone} : Fail(status);
  }
  const auto launched = ReadLaunchEnv(ProcessEnv);
  if (launched.ok() && !launched->has_value()) {
    return LaunchRanks(options, args);
  }
  return RunMain([&](World& world) { return Measure(options, world.comm()); },
                 {.env = WithNetworkOptions(options)});
}

}  // namespace gyre::internal::inline apps

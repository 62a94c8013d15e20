#include "apps/gyre/bench/bench_options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "apps/gyre/bench/byte_sizes.h"
#include "gyre/collectives/control_area.h"
#include "gyre/core/finite.h"
#include "gyre/core/flags.h"

namespace gyre::internal::inline apps {
namespace {

constexpr std::pair<const char*, BenchOp> kOps[] = {
    {"all-reduce", BenchOp::kAllReduce},
    {"all-gather", BenchOp::kAllGather},
    {"reduce-scatter", BenchOp::kReduceScatter}};

constexpr std::pair<const char*, Payload> kPayloads[] = {
    {"normal", Payload::kNormal},
    {"huge", Payload::kHuge},
    {"nan", Payload::kNaN},
    {"denormal", Payload::kDenormal}};

constexpr char kDescription[] =
    "Measures a collective operation on this machine or network: "
    "gyre bench all-reduce|all-gather|reduce-scatter -n 4\n"
    "Starts its ranks itself, unless a launcher has started it (mpirun, srun, "
    "torchrun). GB/s is the size by the median time; \"copy\" is what one "
    "thread copies in memory. For an all-gather the size is that of its "
    "result, for a reduce-scatter that of its input.";

// 4 B to 256 MiB by factors of 4.
std::vector<std::size_t> DefaultSizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t s = 4; s <= std::size_t{256} << 20; s *= 4) {
    sizes.push_back(s);
  }
  return sizes;
}

template <class Value, std::size_t n>
std::vector<std::string> NamesOf(
    const std::pair<const char*, Value> (&table)[n]) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.first);
  return names;
}

StatusOr<BenchOp> OpOf(const std::vector<std::string>& words) {
  for (const auto& [name, op] : kOps) {
    if (words.size() == 1 && words[0] == name) return op;
  }
  std::string given;
  for (const std::string& word : words) given += " " + word;
  return ConfigError("gyre bench",
                     given,
                     ": one of all-reduce, all-gather, reduce-scatter was "
                     "expected; see gyre bench --help");
}

Status Check(const BenchOptions& options) {
  if (options.ranks < 0 || options.ranks > kMaxLocalRanks) {
    return ConfigError("gyre bench: -n ",
                       options.ranks,
                       ": a number of ranks from 1 to ",
                       kMaxLocalRanks,
                       " was expected");
  }
  if (!IsFinite(options.seconds) || options.seconds <= 0) {
    return ConfigError("gyre bench: --seconds must be above 0, got ",
                       options.seconds);
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::optional<BenchOptions>> ParseBenchOptions(
    std::span<const std::string> args) {
  BenchOptions options;
  std::vector<std::string> words;
  std::string sizes;
  std::string payload = "normal";
  std::string form = "mean-in-place";
  Flags flags("gyre bench", kDescription);
  flags.AllowPositional("operation", &words, "what to measure");
  flags.Add("n,ranks", &options.ranks, "how many ranks; 0: 2");
  flags.Add("sizes",
            &sizes,
            "bytes, such as 4K,4M; default: 4 to 256M by factors of 4, as far "
            "as there is memory");
  flags.AddChoice("collectives",
                  &options.collectives,
                  {"auto", "local", "shm", "grpc", "mpi", "two-level"},
                  "how the ranks talk; local: as threads of one process");
  flags.Add("tls",
            &options.tls,
            "for connections: off, auto, or files (gyre launch --help)");
  flags.Add("hosts", &options.hosts, "measure between these hosts, a file");
  flags.Add("rsh", &options.rsh, "what starts a command on a host");
  flags.Add("insecure",
            &options.insecure,
            "connections to other hosts may go without TLS");
  flags.AddChoice(
      "payload", &payload, NamesOf(kPayloads), "what the numbers are");
  flags.AddChoice("form",
                  &form,
                  {"mean-in-place", "sum"},
                  "what an all-reduce does; sum: of one buffer to another");
  flags.Add("seconds", &options.seconds, "about how long to measure a size");
  flags.Add("bind", &options.bind, "give each rank processors of its own");
  flags.Add("json", &options.json, "one JSON object for each size");
  std::vector<const char*> argv = {"gyre bench"};
  for (const std::string& arg : args) argv.push_back(arg.c_str());
  GYRE_ASSIGN_OR_RETURN(
      const ParseResult parsed,
      flags.Parse(static_cast<int>(argv.size()), argv.data()));
  if (parsed == ParseResult::kHelpShown) return std::optional<BenchOptions>();
  GYRE_ASSIGN_OR_RETURN(options.op, OpOf(words));
  options.op_name = words[0];
  for (const auto& [name, value] : kPayloads) {
    if (payload == name) options.payload = value;
  }
  if (form == "sum") options.form = Form::kSum;
  options.default_sizes = sizes.empty();
  options.sizes = DefaultSizes();
  if (!sizes.empty()) {
    GYRE_ASSIGN_OR_RETURN(options.sizes, ParseByteSizes(sizes));
  }
  GYRE_RETURN_IF_ERROR(Check(options));
  return std::optional<BenchOptions>(std::move(options));
}

}  // namespace gyre::internal::inline apps

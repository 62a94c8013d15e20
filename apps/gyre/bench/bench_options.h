// The command line of `gyre bench`.

#ifndef GYRE_APPS_GYRE_BENCH_BENCH_OPTIONS_H_
#define GYRE_APPS_GYRE_BENCH_BENCH_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/gyre/bench/measure.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct BenchOptions {
  std::string op_name;
  BenchOp op = BenchOp::kAllReduce;
  int ranks = 0;  // 0: as many as there are, or 2 when none is there
  std::vector<std::size_t> sizes;
  bool default_sizes = true;
  Payload payload = Payload::kNormal;
  Form form = Form::kMeanInPlace;
  std::string collectives = "auto";
  // As in LaunchOptions.
  std::string tls = "off";
  std::string hosts;
  std::string rsh = "ssh";
  bool insecure = false;
  double seconds = 0.4;  // for one size
  bool bind = false;
  bool json = false;
};

// `args`: what follows "bench". Nothing when the help was asked for and has
// been printed.
StatusOr<std::optional<BenchOptions>> ParseBenchOptions(
    std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_BENCH_BENCH_OPTIONS_H_

// The command line of `gyre launch`.

#ifndef GYRE_APPS_GYRE_LAUNCH_LAUNCH_OPTIONS_H_
#define GYRE_APPS_GYRE_LAUNCH_LAUNCH_OPTIONS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/collectives/network_options.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct LaunchOptions {
  int ranks = 1;            // with hosts, 0: all slots
  int processes = 0;        // that share the ranks; 0: one for each rank
  std::string hosts;        // a file (hosts/host_file.h); empty: this host
  std::string rsh = "ssh";  // how to start a command on another host
  bool part = false;        // a host's part, which comes on the standard input
  std::string log_dir;      // empty: none
  double grace_s = 1;       // between asking the rest to end and making it
  std::optional<double> deadline_s;
  std::vector<std::pair<std::string, std::string>> env;
  int max_restarts = 0;
  bool bind = false;
  NetworkOptions network;  // tls may be "auto" here
  // Rank 0's standard output is not marked; so it is with --json, too.
  bool plain_rank0 = false;
  std::vector<std::string> command;  // the program and its arguments
  bool help = false;
};

// `args`: what follows "launch". The program starts after "--", or at the
// first argument that is no option.
StatusOr<LaunchOptions> ParseLaunchOptions(std::span<const std::string> args);

std::string_view LaunchHelp();

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_LAUNCH_OPTIONS_H_

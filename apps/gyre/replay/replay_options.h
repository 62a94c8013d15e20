// The command line of `gyre replay`.

#ifndef GYRE_APPS_GYRE_REPLAY_REPLAY_OPTIONS_H_
#define GYRE_APPS_GYRE_REPLAY_REPLAY_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/core/flags.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct ReplayOptions {
  std::vector<std::string> paths = {};  // a run or evidence; with `diff`, two
  std::int64_t step = -1;               // -1: not given
  std::string precision = {};           // changes; empty: none
  std::string kernels = {};
  std::string jit = {};
  std::int64_t ranks = 0;
  std::vector<std::string> extra = {};  // what follows "--"
  bool all = false;
  bool plain = false;
  bool diff = false;
  bool json = false;
  bool other_build = false;
  std::string program = {};  // in place of the recorded one
  double timeout_s = 300;
  bool help = false;

  bool asks_for_changes() const {
    return !precision.empty() || !kernels.empty() || !jit.empty() ||
           ranks != 0 || !extra.empty();
  }
};

// `args`: what follows "replay". For --help, prints the help. Errors: unknown
// flags, flags that exclude each other, a wrong number of paths.
StatusOr<ReplayOptions> ParseReplayOptions(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPLAY_REPLAY_OPTIONS_H_

// The ways in which a step is run again: as it was, and with one change.

#ifndef GYRE_APPS_GYRE_REPLAY_CHANGES_H_
#define GYRE_APPS_GYRE_REPLAY_CHANGES_H_

#include <string>
#include <vector>

#include "apps/gyre/replay/replay_options.h"
#include "gyre/train/replay/evidence.h"

namespace gyre::internal::inline apps {

struct Change {
  std::string name = {};                // "--precision f64"; "none"
  std::string with = {};                // GYRE_REPLAY_WITH
  int ranks = 0;                        // 0: as many as it had
  std::vector<std::string> extra = {};  // for the program
};

// "none" first, then those that are asked for, or (as well, with --all) all
// that are a change: f64 is none for a run in f64.
std::vector<Change> ChangesFor(const ReplayOptions& options,
                               const Evidence& evidence);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPLAY_CHANGES_H_

// What became of a run, from how its ranks ended: who failed first, and the
// exit code of the launcher.

#ifndef GYRE_APPS_GYRE_LAUNCH_VERDICT_H_
#define GYRE_APPS_GYRE_LAUNCH_VERDICT_H_

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// How the process of a rank, or of several, ended.
struct RankEnd {
  int rank = 0;              // the first, of several
  int ranks = 1;             // that the process hosted
  int code = 0;              // of its exit
  int signal = 0;            // that killed it; 0: it ended by itself
  bool ended_by_us = false;  // the launcher had already asked it to end
};

// Whether it ended by itself because a signal asked it to: after a checkpoint,
// as all ranks of a training loop do (core/stop_signals.h).
bool WasStopped(const RankEnd& end);

// A rank that told the others that it gives up.
struct GivingUp {
  int rank;
  ErrorKind kind;
};

struct Verdict {
  int exit_code = 0;
  std::string line;  // empty when all is well
  // The same program may do better another time: a rank was lost, not wrong.
  bool worth_restarting = false;
};

// `ends` in the order in which they happened. `stopped_by`: the signal by
// which the user stopped the run, or 0.
// `name`: what to call the process of the rank; "rank 2", or "ranks 4 to 7"
// for several, unless given.
Verdict Judge(std::span<const RankEnd> ends,
              const std::optional<GivingUp>& gave_up,
              int stopped_by,
              const std::function<std::string(int)>& name = nullptr);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_VERDICT_H_

// Ends the ranks, and what they have started, when the launcher is killed
// before it could.
//
//   Watchdog watchdog;             // before the first rank
//   watchdog.Watch(rank_pid);      // leads a process group of its own
//   watchdog.Forget(rank_pid);     // that group is gone

#ifndef GYRE_APPS_GYRE_LAUNCH_WATCHDOG_H_
#define GYRE_APPS_GYRE_LAUNCH_WATCHDOG_H_

#include <sys/types.h>

#include "gyre/collectives/shm/memfd.h"

namespace gyre::internal::inline apps {

// A process that waits for the end of this one.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void Watch(pid_t group) const { Tell(group); }
  void Forget(pid_t group) const { Tell(-group); }

 private:
  void Tell(pid_t word) const;

  pid_t pid_ = -1;
  FileHandle pipe_;
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_WATCHDOG_H_

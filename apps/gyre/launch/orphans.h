// What the ranks have started and left behind: processes that would stay when
// the run is over, wherever they have moved themselves (setsid, a fork twice).

#ifndef GYRE_APPS_GYRE_LAUNCH_ORPHANS_H_
#define GYRE_APPS_GYRE_LAUNCH_ORPHANS_H_

#include <sys/types.h>

#include <vector>

namespace gyre::internal::inline apps {

class Orphans {
 public:
  // From here on, a descendant whose parent ends becomes this process's child.
  Orphans();

  // Kills and buries all children that this process got since then, and
  // theirs.
  void End() const;

 private:
  std::vector<pid_t> former_;  // children from before: `job & exec gyre ...`
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_ORPHANS_H_

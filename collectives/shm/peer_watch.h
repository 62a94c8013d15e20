// Whether the processes of peers still live, by pidfd: no signal is sent, and
// a number that is given to a new process is never taken for the old one.
//
// One file for each process, and none for this one, however many ranks they
// host; one system call for all of them.

#ifndef GYRE_COLLECTIVES_SHM_PEER_WATCH_H_
#define GYRE_COLLECTIVES_SHM_PEER_WATCH_H_

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/shm/memfd.h"

namespace gyre::internal::inline collectives {

class PeerWatch {
 public:
  explicit PeerWatch(int ranks) : process_of_(ranks, kUnknown) {}

  // The ranks whose process has ended. None that has not joined yet: whoever
  // starts the ranks knows of those. From any thread: a rank may wait in the
  // collectives of several groups at a time (mesh/lane.h).
  std::vector<int> Ended(WorldHeader& world);

 private:
  static constexpr int kUnknown = -1;  // has not joined
  static constexpr int kOwn = -2;      // of this process

  struct Process {
    pid_t pid;
    FileHandle handle;  // none: it cannot be watched
    bool ended;
  };
  // The index of its entry, which is made when there is none.
  int Find(pid_t pid);

  std::mutex mutex_;  // of all below
  std::vector<Process> processes_;
  std::vector<int> process_of_;  // an index, or one of the above
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHM_PEER_WATCH_H_

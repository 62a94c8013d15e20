// Whether the processes of peers still live, by pidfd: no signal is sent, and
// a number that is given to a new process is never taken for the old one.

#ifndef GYRE_COLLECTIVES_SHM_PEER_WATCH_H_
#define GYRE_COLLECTIVES_SHM_PEER_WATCH_H_

#include <vector>

#include "collectives/control_area.h"
#include "collectives/shm/memfd.h"

namespace gyre {

class PeerWatch {
 public:
  explicit PeerWatch(int ranks) : handles_(ranks) {}

  // True for a peer that has not joined yet: whoever starts the ranks knows.
  bool Alive(int rank, const PeerCell& peer);

 private:
  std::vector<FileHandle> handles_;
};

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_SHM_PEER_WATCH_H_

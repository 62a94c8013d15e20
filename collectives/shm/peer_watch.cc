#include "collectives/shm/peer_watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gyre {

bool PeerWatch::Alive(int rank, const PeerCell& peer) {
  FileHandle& handle = handles_[rank];
  if (handle.get() < 0) {
    if (peer.state.load() == static_cast<std::uint32_t>(PeerState::kAbsent)) {
      return true;
    }
    const long fd = syscall(SYS_pidfd_open, peer.pid.load(), 0);
    // Other errors (no more files, an old kernel) leave the deadline as the
    // only guard.
    if (fd < 0) return errno != ESRCH;
    handle = FileHandle(static_cast<int>(fd));
  }
  pollfd event = {handle.get(), POLLIN, 0};
  return ::poll(&event, 1, 0) != 1;
}

}  // namespace gyre

#include "gyre/collectives/shm/peer_watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace gyre::internal::inline collectives {

int PeerWatch::Find(pid_t pid) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].pid == pid) return static_cast<int>(i);
  }
  const long fd = ::syscall(SYS_pidfd_open, pid, 0);
  // Other errors (no more files, an old kernel) leave the deadline as the only
  // guard.
  const bool ended = fd < 0 && errno == ESRCH;
  processes_.push_back({pid, FileHandle(static_cast<int>(fd)), ended});
  return static_cast<int>(processes_.size()) - 1;
}

std::vector<int> PeerWatch::Ended(WorldHeader& world) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t r = 0; r < process_of_.size(); ++r) {
    const PeerCell& peer = world.peer(static_cast<int>(r));
    if (process_of_[r] != kUnknown ||
        peer.state.load() == static_cast<std::uint32_t>(PeerState::kAbsent)) {
      continue;
    }
    const pid_t pid = peer.pid.load();
    process_of_[r] = pid == ::getpid() ? kOwn : Find(pid);
  }
  std::vector<pollfd> events;
  for (const Process& process : processes_) {
    events.push_back({process.handle.get(), POLLIN, 0});  // -1 is passed over
  }
  if (::poll(events.data(), events.size(), 0) > 0) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].revents != 0) processes_[i].ended = true;
    }
  }
  std::vector<int> ended;
  for (std::size_t r = 0; r < process_of_.size(); ++r) {
    if (process_of_[r] >= 0 && processes_[process_of_[r]].ended) {
      ended.push_back(static_cast<int>(r));
    }
  }
  return ended;
}

}  // namespace gyre::internal::inline collectives

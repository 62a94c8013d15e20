#include "apps/gyre/launch/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "gyre/collectives/control_area.h"

namespace gyre::internal::inline apps {
namespace {

// No memory is asked for in the child: it may have been forked at any moment.
using Groups = std::array<pid_t, kMaxLocalRanks>;

void Note(Groups& groups, pid_t word) {
  const pid_t wanted = word > 0 ? 0 : -word;
  for (pid_t& group : groups) {
    if (group != wanted) continue;
    group = word > 0 ? word : 0;
    return;
  }
}

[[noreturn]] void Guard(int pipe) {
  ::setsid();  // signals for the launcher's group are not for us
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE}) {
    ::signal(signal, SIG_IGN);
  }
  // Whoever waits for the end of the launcher's output waits for all its
  // holders.
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) ::dup2(null, fd);
  Groups groups{};
  pid_t word = 0;
  while (true) {
    const ssize_t n = ::read(pipe, &word, sizeof word);
    if (n == sizeof word) {
      Note(groups, word);
    } else if (n >= 0 || errno != EINTR) {
      break;
    }
  }
  for (const pid_t group : groups) {
    if (group > 0) ::kill(-group, SIGKILL);
  }
  ::_exit(0);
}

}  // namespace

Watchdog::Watchdog() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  FileHandle read(ends[0]);
  pipe_ = FileHandle(ends[1]);
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::close(ends[1]);
  Guard(ends[0]);
}

Watchdog::~Watchdog() {
  pipe_ = FileHandle();
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

void Watchdog::Tell(pid_t word) const {
  [[maybe_unused]] const ssize_t n = ::write(pipe_.get(), &word, sizeof word);
}

}  // namespace gyre::internal::inline apps

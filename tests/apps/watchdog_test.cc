#include "apps/gyre/launch/watchdog.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gyre/core/clock.h"

namespace gyre::internal::inline tests {
namespace {

// A process that leads a group of its own and sleeps.
pid_t Sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (int i = 0; i < 60; ++i) ::sleep(1);
    ::_exit(0);
  }
  ::setpgid(pid, pid);
  return pid;
}

// How it ended, or 0 if it still runs after `seconds`.
int SignalThatEnded(pid_t pid, double seconds) {
  for (const Stopwatch clock; clock.Seconds() < seconds; ::usleep(2000)) {
    int state = 0;
    if (::waitpid(pid, &state, WNOHANG) == pid) {
      return WIFSIGNALED(state) ? WTERMSIG(state) : -1;
    }
  }
  return 0;
}

TEST(WatchdogTest, KillsWhatIsLeftWhenItsOwnerIsKilled) {
  const pid_t watched = Sleeper();
  const pid_t forgotten = Sleeper();
  const pid_t owner = ::fork();
  if (owner == 0) {
    const Watchdog watchdog;
    watchdog.Watch(watched);
    watchdog.Watch(forgotten);
    watchdog.Forget(forgotten);
    ::raise(SIGKILL);
  }
  EXPECT_EQ(SignalThatEnded(owner, 20), SIGKILL);
  EXPECT_EQ(SignalThatEnded(watched, 20), SIGKILL);
  EXPECT_EQ(SignalThatEnded(forgotten, 0.05), 0);
  ::kill(forgotten, SIGKILL);
  EXPECT_EQ(SignalThatEnded(forgotten, 20), SIGKILL);
}

TEST(WatchdogTest, EndsWithItsOwner) {
  const Stopwatch clock;
  { const Watchdog watchdog; }
  EXPECT_LT(clock.Seconds(), 20);
}

}  // namespace
}  // namespace gyre::internal::inline tests

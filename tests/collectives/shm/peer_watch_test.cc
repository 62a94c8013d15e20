#include "collectives/shm/peer_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gyre {
namespace {

class PeerWatchTest : public testing::Test {
 protected:
  void Join(pid_t pid) {
    cell_.pid.store(pid);
    cell_.state.store(static_cast<std::uint32_t>(PeerState::kJoined));
  }
  static pid_t Sleeper() {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::pause();
      ::_exit(0);
    }
    return pid;
  }
  static void Kill(pid_t pid, bool bury) {
    ::kill(pid, SIGKILL);
    siginfo_t info;
    ::waitid(P_PID, pid, &info, WEXITED | (bury ? 0 : WNOWAIT));
  }

  PeerCell cell_ = {};
  PeerWatch watch_{1};
};

TEST_F(PeerWatchTest, OneThatHasNotJoinedIsNotMissed) {
  EXPECT_TRUE(watch_.Alive(0, cell_));
}

TEST_F(PeerWatchTest, SeesAPeerDieBeforeItIsBuried) {
  const pid_t pid = Sleeper();
  Join(pid);
  EXPECT_TRUE(watch_.Alive(0, cell_));
  Kill(pid, /*bury=*/false);
  EXPECT_FALSE(watch_.Alive(0, cell_));
  ::waitpid(pid, nullptr, 0);
  EXPECT_FALSE(watch_.Alive(0, cell_));
}

TEST_F(PeerWatchTest, SeesAPeerThatWasGoneBeforeTheFirstLook) {
  const pid_t pid = Sleeper();
  Join(pid);
  Kill(pid, /*bury=*/true);
  EXPECT_FALSE(watch_.Alive(0, cell_));
}

}  // namespace
}  // namespace gyre

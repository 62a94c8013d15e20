#include "gyre/collectives/shm/peer_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "gyre/collectives/local/local_space.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kRanks = 5;

class PeerWatchTest : public testing::Test {
 protected:
  WorldHeader& world() { return memory_.header(); }
  void Join(int rank, pid_t pid) {
    PeerCell& cell = world().peer(rank);
    cell.pid.store(pid);
    cell.state.store(static_cast<std::uint32_t>(PeerState::kJoined));
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
  static int OpenFiles() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<int>(std::distance(begin(files), end(files)));
  }

  LocalMemory memory_{kRanks};
  PeerWatch watch_{kRanks};
};

TEST_F(PeerWatchTest, OnesThatHaveNotJoinedAreNotMissed) {
  EXPECT_THAT(watch_.Ended(world()), IsEmpty());
}

TEST_F(PeerWatchTest, SeesAPeerDieBeforeItIsBuried) {
  const pid_t pid = Sleeper();
  Join(2, pid);
  EXPECT_THAT(watch_.Ended(world()), IsEmpty());
  Kill(pid, /*bury=*/false);
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(2));
  ::waitpid(pid, nullptr, 0);
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(2));
}

TEST_F(PeerWatchTest, SeesAPeerThatWasGoneBeforeTheFirstLook) {
  const pid_t pid = Sleeper();
  Join(0, pid);
  Kill(pid, /*bury=*/true);
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(0));
}

TEST_F(PeerWatchTest, AProcessTakesAllItsRanksAlong) {
  const pid_t first = Sleeper();
  const pid_t second = Sleeper();
  Join(0, ::getpid());
  Join(1, first);
  Join(3, first);
  Join(4, second);
  EXPECT_THAT(watch_.Ended(world()), IsEmpty());
  Kill(first, /*bury=*/true);
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(1, 3));
  Join(2, first);  // late, and gone all the same
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(1, 2, 3));
  Kill(second, /*bury=*/true);
  EXPECT_THAT(watch_.Ended(world()), ElementsAre(1, 2, 3, 4));
}

TEST_F(PeerWatchTest, HasOneFileForEachProcessAndNoneForThisOne) {
  const pid_t pid = Sleeper();
  const int before = OpenFiles();
  for (int r = 0; r < kRanks; ++r) Join(r, r < 2 ? ::getpid() : pid);
  EXPECT_THAT(watch_.Ended(world()), IsEmpty());
  EXPECT_EQ(OpenFiles(), before + 1);
  Kill(pid, /*bury=*/true);
}

}  // namespace
}  // namespace gyre::internal::inline tests

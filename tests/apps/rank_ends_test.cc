#include "gyre/runtime/rank_ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/stop_signals.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RankEndsTest, AllWell) {
  RankEnds ends(2);
  std::thread late([&] { ends.Add(1, OkStatus()); });
  ends.Add(0, OkStatus());
  EXPECT_THAT(ends.Wait(0), IsEmpty());
  EXPECT_EQ(ends.ExitCode(), kExitDone);
  late.join();
}

TEST(RankEndsTest, TheFirstCauseCountsAndNotItsEffects) {
  RankEnds ends(4);
  ends.Add(2, PeerLostError("rank 1 gave up"));
  EXPECT_EQ(ends.ExitCode(), kExitPeer);
  ends.Add(1, DataError("damaged"));
  ends.Add(0, GuardError("ten skips"));
  ends.Add(3, OkStatus());
  EXPECT_EQ(ends.ExitCode(), kExitData);
}

TEST(RankEndsTest, AStopIsNoFailure) {
  RankEnds ends(2);
  ends.Add(0, StoppedBySignal(SIGUSR1, "stopped"));
  EXPECT_EQ(ends.ExitCode(), 128 + SIGUSR1);
  ends.Add(1, PeerLostError("rank 0 has left"));
  EXPECT_EQ(ends.ExitCode(), kExitPeer);
}

TEST(RankEndsTest, AfterAFailureTheOthersHaveLittleTime) {
  RankEnds ends(3);
  ends.Add(1, DataError("damaged"));
  const Stopwatch clock;
  EXPECT_THAT(ends.Wait(0.05), ElementsAre(0, 2));
  EXPECT_GE(clock.Seconds(), 0.05);
}

TEST(RankEndsTest, AfterAStopTheyHaveAllTheTime) {
  RankEnds ends(2);
  ends.Add(0, StoppedBySignal(SIGTERM, "stopped"));
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ends.Add(1, StoppedBySignal(SIGTERM, "stopped"));
  });
  EXPECT_THAT(ends.Wait(0.001), IsEmpty());
  late.join();
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/collectives/local/local_world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace gyre::internal::inline tests {
namespace {

TEST(LocalWorldTest, RunsEveryRankOnceAndAgain) {
  LocalWorld world(4);
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> ranks = 0;
    EXPECT_EQ(world.Run([&](Communicator& comm) {
      ranks += 1 << comm.rank();
      return OkStatus();
    }),
              OkStatus());
    EXPECT_EQ(ranks, 0b1111);
  }
}

TEST(LocalWorldTest, TheFirstErrorIsReturnedAndNobodyHangs) {
  LocalWorld world(4);
  const Status status = world.Run([](Communicator& comm) -> Status {
    if (comm.rank() == 3) return GuardError("10 skips");
    while (true) {
      GYRE_RETURN_IF_ERROR(comm.Barrier({}));
    }
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kGuard);
  EXPECT_EQ(Message(status), "10 skips");
}

TEST(LocalWorldTest, ALateRankIsAnErrorAtTheDeadline) {
  LocalWorld world(2, {.deadline_s = 0.1});
  std::atomic<bool> over = false;
  const Status status = world.Run([&](Communicator& comm) -> Status {
    if (comm.rank() == 1) {
      over.wait(false);
      return OkStatus();
    }
    const Status late = comm.Barrier({.label = "x"});
    over = true;
    over.notify_all();
    return late;
  });
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);
  EXPECT_NE(Message(status).find("rank 1 has not entered barrier #2 (x)"),
            std::string::npos);
}

TEST(LocalWorldTest, ASingleRankNeedsNoThread) {
  auto comm = MakeSingleRank();
  ASSERT_TRUE(comm.ok()) << comm.status();
  float x[3] = {1, 2, 3};
  float y[3] = {};
  EXPECT_TRUE((*comm)->AllGather(x, y, 3, DType::kF32, {}).ok());
  EXPECT_EQ(y[2], 3);
  EXPECT_TRUE((*comm)->Barrier({}).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

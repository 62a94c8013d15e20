// Failures that users of other systems have reported in public, and what
// happens here instead. Those that have their place elsewhere:
//
//   nccl#1394   two ranks with other counts      failure_test
//   ompi#6322   leftovers of killed ranks        apps/kill_test
//   nccl#290    a full /dev/shm                  shm/memfd_test
//   mlx#3862    a killed, a stopped rank         failure_test
//   pytorch#38375, #176126  groups               exchange_communicator_test
//   jax#30073   half of Slurm's variables        launch/slurm_test
//   horovod#3980  one batch more on a rank       failure_test
//   pytorch#113231  orphans                      apps/launch_test
//   flashinfer#4393  counts below the ranks      conformance_test
//   jax#38503   alive, and never coming          failure_test

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "gyre/core/clock.h"
#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

class PublicFaultsTest : public testing::TestWithParam<std::string> {
 protected:
  Status RunRanks(int ranks, const std::function<Status(Communicator&)>& body) {
    return RunOn(GetParam(), ranks, body);
  }
};

// pytorch#85234, gloo#179: dies of a division by zero.
TEST_P(PublicFaultsTest, GatheringNothingIsACollectiveLikeAnyOther) {
  EXPECT_EQ(RunRanks(3,
                     [](Communicator& comm) -> Status {
                       GYRE_RETURN_IF_ERROR(comm.AllGather(
                           nullptr, nullptr, 0, DType::kF32, {.label = "x"}));
                       for (const ControlRecord& r : comm.records()) {
                         if (r.kind != CollectiveKind::kAllGather) {
                           return InternalError("it was not counted");
                         }
                       }
                       float x = 1;
                       GYRE_RETURN_IF_ERROR(comm.AllReduce(
                           &x, &x, 1, DType::kF32, ReduceOp::kSum, {}));
                       return x == 3 ? OkStatus() : InternalError("sum ", x);
                     }),
            OkStatus());
}

double ThreadCpuSeconds() {
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// ompi#10426: ranks that outnumber the processors spin each other to death.
TEST_P(PublicFaultsTest, WaitingTakesNoProcessor) {
  EXPECT_EQ(RunRanks(5,
                     [](Communicator& comm) -> Status {
                       GYRE_RETURN_IF_ERROR(comm.Barrier({}));
                       if (comm.rank() == 0) ::usleep(500'000);
                       const Stopwatch watch;
                       const double before = ThreadCpuSeconds();
                       GYRE_RETURN_IF_ERROR(comm.Barrier({}));
                       const double used = ThreadCpuSeconds() - before;
                       if (comm.rank() == 0 || used < 0.05) return OkStatus();
                       return InternalError(
                           used, " s of processor in ", watch.Seconds(), " s");
                     }),
            OkStatus());
}

// pytorch#123969: the one that owns the meeting place goes first.
TEST_P(PublicFaultsTest, RanksEndWellInAnyOrder) {
  for (const int first : {0, 2}) {
    EXPECT_EQ(RunRanks(3,
                       [&](Communicator& comm) -> Status {
                         GYRE_RETURN_IF_ERROR(comm.Barrier({}));
                         if (comm.rank() != first) ::usleep(150'000);
                         return OkStatus();
                       }),
              OkStatus());
  }
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         PublicFaultsTest,
                         testing::Values("local", "shm", "direct"),
                         [](const auto& info) { return info.param; });

// torchrec#4149: two groups of the same ranks, used in another order. Each
// rank waits in the group that the other comes to later.
Status Crossed(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const auto a, comm.Split(std::vector<int>{0, 1}, {}));
  GYRE_ASSIGN_OR_RETURN(const auto b, comm.Split(std::vector<int>{0, 1}, {}));
  Communicator& mine = comm.rank() == 0 ? *a : *b;
  const Status late =
      mine.Barrier({.label = comm.rank() == 0 ? "axis a" : "axis b"});
  // The second to notice may hear that the first has left for that reason.
  const std::string other = Cat("rank ", 1 - comm.rank(), " has ");
  if (KindOf(late) == ErrorKind::kPeer &&
      Message(late).find(other) != std::string::npos) {
    return OkStatus();
  }
  return InternalError("expected \"", other, "\", got: ", late);
}

TEST(PublicFaults, GroupsUsedInAnotherOrderEndAtTheDeadline) {
  EXPECT_EQ(LocalWorld(2, {.deadline_s = 0.4}).Run(Crossed), OkStatus());
  ForkWorld world(2, 0.4);
  world.Start(Crossed);
  for (const ForkOutcome& end : world.Wait()) {
    EXPECT_EQ(end.exit_code, 0) << end.message;
  }
}

// mlx#4281, ompi#9616: counts that an int does not hold.
TEST(PublicFaults, MoreThanTwoGibibytesInSharedMemory) {
  if (std::getenv("GYRE_LONG_TESTS") == nullptr) {
    GTEST_SKIP() << "takes 4 GiB; set GYRE_LONG_TESTS";
  }
  EXPECT_EQ(
      ForkWorld::Run(
          2,
          [](Communicator& comm) -> Status {
            const std::size_t count = (std::size_t{1} << 31) + 77;
            GYRE_ASSIGN_OR_RETURN(const SharedBuffer buffer,
                                  comm.Allocate(count, {}));
            auto* const data = reinterpret_cast<std::uint8_t*>(buffer.data);
            data[0] = static_cast<std::uint8_t>(comm.rank());
            data[count - 1] = static_cast<std::uint8_t>(3 - comm.rank());
            GYRE_RETURN_IF_ERROR(comm.AllReduce(
                data, data, count, DType::kU8, ReduceOp::kMax, {}));
            if (data[0] == 1 && data[count - 1] == 3 && data[count / 2] == 0) {
              return OkStatus();
            }
            return InternalError("wrong maxima");
          }),
      OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests

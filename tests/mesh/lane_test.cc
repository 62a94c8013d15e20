#include "gyre/mesh/lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/clock.h"
#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kCount = 5000;

// An error unless `x` is made of `value` alone.
Status AllAre(const std::vector<float>& x, float value, const char* what) {
  for (const float element : x) {
    if (element != value) {
      return InternalError(what, ": ", element, ", expected ", value);
    }
  }
  return OkStatus();
}

// Many all-reduces in flight, and others on the communicator meanwhile.
Status ManyInFlight(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
  const int ranks = comm.size();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::vector<float>> data;
    std::vector<Handle> handles;
    for (int i = 0; i < 20; ++i) {
      data.emplace_back(kCount, static_cast<float>(comm.rank() + i));
    }
    for (int i = 0; i < 20; ++i) {
      handles.push_back(lane->AllReduce(data[i].data(),
                                        data[i].data(),
                                        kCount,
                                        DType::kF32,
                                        ReduceOp::kSum,
                                        {.label = "lane", .bucket = i}));
    }
    std::vector<float> other(10, 1.0f);
    GYRE_RETURN_IF_ERROR(comm.AllReduce(
        other.data(), other.data(), 10, DType::kF32, ReduceOp::kSum, {}));
    GYRE_RETURN_IF_ERROR(
        AllAre(other, static_cast<float>(ranks), "beside the lane"));
    const float ranks_sum = ranks * (ranks - 1) * 0.5f;
    for (int i = 19; i >= 0; --i) {
      GYRE_RETURN_IF_ERROR(handles[i].Wait());
      const auto records = handles[i].records();
      if (records.size() != static_cast<std::size_t>(ranks) ||
          records[0].bucket != i) {
        return InternalError("the records of operation ", i, " are not its");
      }
      GYRE_RETURN_IF_ERROR(
          AllAre(data[i], ranks_sum + static_cast<float>(i * ranks), "lane"));
    }
  }
  return OkStatus();
}

TEST(LaneTest, ManyInFlight) {
  EXPECT_EQ(LocalWorld(3).Run(ManyInFlight), OkStatus());
  EXPECT_EQ(RunOn("shm", 2, ManyInFlight), OkStatus());
  EXPECT_EQ(RunOn("direct", 2, ManyInFlight), OkStatus());
}

// Apart from the others, as the race detector does not know gRPC's locks.
TEST(LaneTest, ManyInFlightOverGrpc) {
  EXPECT_EQ(RunOn("grpc", 2, ManyInFlight), OkStatus());
}

TEST(LaneTest, EveryOperation) {
  const Status status = LocalWorld(2).Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
    const std::int32_t me = comm.rank();
    const std::vector<std::int32_t> pair = {10 + me, 20 + me};
    std::vector<std::int32_t> scattered(1), gathered(2), told(1, me),
        exchanged(2), permuted(1);
    std::vector<Handle> handles;
    handles.push_back(lane->ReduceScatter(
        pair.data(), scattered.data(), 1, DType::kI32, ReduceOp::kMax, {}));
    handles.push_back(
        lane->AllGather(&me, gathered.data(), 1, DType::kI32, {}));
    handles.push_back(lane->Broadcast(told.data(), 1, DType::kI32, 1, {}));
    handles.push_back(
        lane->AllToAll(pair.data(), exchanged.data(), 1, DType::kI32, {}));
    {
      const std::vector<int> sources = {1, -1};  // gone before it is used
      handles.push_back(lane->Permute(
          &pair[0], permuted.data(), 1, DType::kI32, sources, {}));
    }
    handles.push_back(lane->Barrier({}));
    for (Handle& handle : handles) GYRE_RETURN_IF_ERROR(handle.Wait());
    EXPECT_THAT(scattered, ElementsAre(me == 0 ? 11 : 21));
    EXPECT_THAT(gathered, ElementsAre(0, 1));
    EXPECT_THAT(told, ElementsAre(1));
    EXPECT_THAT(exchanged, ElementsAre(me == 0 ? 10 : 20, me == 0 ? 11 : 21));
    EXPECT_THAT(permuted, ElementsAre(me == 0 ? 11 : 0));
    return OkStatus();
  });
  EXPECT_EQ(status, OkStatus());
}

// Rank 0 asks for something else. Each rank's error is checked by itself.
Status Mismatch(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
  std::vector<float> x(8, 1.0f);
  Handle good = lane->Barrier({});
  Handle bad = lane->AllReduce(x.data(),
                               x.data(),
                               comm.rank() == 0 ? 8 : 7,
                               DType::kF32,
                               ReduceOp::kSum,
                               {});
  Handle after = lane->Barrier({});
  GYRE_RETURN_IF_ERROR(good.Wait());
  const Status first = bad.Wait();
  if (KindOf(first) != ErrorKind::kMismatch || !bad.records().empty()) {
    return InternalError("no mismatch, but ", first);
  }
  if (after.Wait().ok()) return InternalError("a lane that failed goes on");
  if (bad.Wait() != first) return InternalError("the error did not stay");
  return OkStatus();
}

TEST(LaneTest, AMismatchReachesWaitOnEveryRank) {
  EXPECT_EQ(LocalWorld(3).Run(Mismatch), OkStatus());
  EXPECT_EQ(RunOn("shm", 3, Mismatch), OkStatus());
  EXPECT_EQ(RunOn("direct", 3, Mismatch), OkStatus());
}

TEST(LaneTest, AMismatchReachesWaitOverGrpc) {
  EXPECT_EQ(RunOn("grpc", 3, Mismatch), OkStatus());
}

// Rank 1 does not come.
Status Late(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
  if (comm.rank() == 1) {
    ::usleep(900'000);
    return OkStatus();
  }
  const Status late = lane->Barrier({.label = "lane barrier"}).Wait();
  if (Message(late).find("rank 1 has not entered barrier") ==
      std::string::npos) {
    return InternalError("expected a late rank 1, got ", late);
  }
  return OkStatus();
}

TEST(LaneTest, ADeadlineReachesWait) {
  EXPECT_EQ(LocalWorld(2, {.deadline_s = 0.3}).Run(Late), OkStatus());
  ForkWorld world(2, 0.3);
  world.Start(Late);
  for (const ForkOutcome& end : world.Wait()) {
    EXPECT_EQ(end.exit_code, 0) << end.message;
  }
}

TEST(LaneTest, AKilledRankReachesWait) {
  ForkWorld world(3);
  world.Start([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
    if (comm.rank() == 2) ::raise(SIGKILL);
    const Status lost = lane->Barrier({}).Wait();
    if (Message(lost).find("rank 2 is lost") != std::string::npos) {
      return OkStatus();
    }
    return InternalError("expected a lost rank 2, got ", lost);
  });
  const auto ends = world.Wait();
  EXPECT_EQ(ends[0].exit_code, 0) << ends[0].message;
  EXPECT_EQ(ends[1].exit_code, 0) << ends[1].message;
}

TEST(LaneTest, DestructionCarriesOutWhatIsPosted) {
  const Status status = LocalWorld(2).Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(auto lane, Lane::Create(comm));
    std::vector<float> kept(kCount, 1.0f);
    std::vector<float> dropped(kCount, 1.0f);
    Handle handle = lane->AllReduce(
        kept.data(), kept.data(), kCount, DType::kF32, ReduceOp::kSum, {});
    (void)lane->AllReduce(dropped.data(),
                          dropped.data(),
                          kCount,
                          DType::kF32,
                          ReduceOp::kSum,
                          {});
    lane.reset();
    EXPECT_TRUE(handle.done());
    GYRE_RETURN_IF_ERROR(handle.Wait());
    EXPECT_EQ(handle.records().size(), 2u);
    GYRE_RETURN_IF_ERROR(AllAre(kept, 2, "kept"));
    return AllAre(dropped, 2, "dropped");
  });
  EXPECT_EQ(status, OkStatus());
}

TEST(LaneTest, HandlesMoveAndAnEmptyOneIsDone) {
  const auto comm = MakeSingleRank();
  ASSERT_TRUE(comm.ok());
  const auto lane = Lane::Create(**comm);
  ASSERT_TRUE(lane.ok()) << lane.status();
  Handle empty;
  EXPECT_TRUE(empty.done());
  EXPECT_EQ(empty.Wait(), OkStatus());
  EXPECT_TRUE(empty.records().empty());
  Handle first = (*lane)->Barrier({});
  Handle second = std::move(first);
  EXPECT_EQ(second.Wait(), OkStatus());
  EXPECT_EQ(second.records().size(), 1u);
  second = (*lane)->Barrier({});
  EXPECT_EQ(second.Wait(), OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests

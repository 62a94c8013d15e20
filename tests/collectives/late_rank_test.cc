// A rank that comes after the others' deadline: they have waited no longer
// than they say, and it hears that it was late.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/support/backends.h"
#include "tests/support/refusals.h"

namespace gyre::internal::inline tests {
namespace {

// Of a wait with a deadline of kLateDeadlineS. It used to be 5 s more where
// data was on its way.
constexpr double kLateDeadlineS = 0.5;
constexpr double kFarTooLongS = 4;

Status MakeCall(CollectiveKind kind, Communicator& comm) {
  constexpr std::size_t count = 300'000;  // more than gRPC sends unasked
  const int size = comm.size();
  std::vector<float> in(count * size, 1.0f);
  std::vector<float> out(count * size);
  const std::vector<int> sources = {1, 2, 0};
  const CallSite site = {.label = "data", .loc = {"a/train.cc", 88}};
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return comm.AllReduce(
          in.data(), in.data(), count, DType::kF32, ReduceOp::kSum, site);
    case CollectiveKind::kReduceScatter:
      return comm.ReduceScatter(
          in.data(), out.data(), count, DType::kF32, ReduceOp::kSum, site);
    case CollectiveKind::kAllGather:
      return comm.AllGather(in.data(), out.data(), count, DType::kF32, site);
    case CollectiveKind::kBroadcast:
      return comm.Broadcast(in.data(), count, DType::kF32, 0, site);
    case CollectiveKind::kAllToAll:
      return comm.AllToAll(in.data(), out.data(), count, DType::kF32, site);
    case CollectiveKind::kPermute:
      return comm.Permute(
          in.data(), out.data(), count, DType::kF32, sources, site);
    default:
      return comm.Barrier(site);
  }
}

// Ranks 0 and 1 wait for rank 2 in vain. Then it comes, and they are still
// there: it hears it from them, and not by their end.
Status CheckLateRank(Communicator& comm,
                     CollectiveKind kind,
                     ForkEvent* gave_up,
                     ForkEvent* done) {
  if (comm.rank() < 2) {
    const Status late = MakeCall(kind, comm);
    gave_up[comm.rank()].Set();
    if (!done->Wait()) return InternalError("rank 2 did not end");
    return ExpectText(late, {"rank 2 has not entered", " (data) after "});
  }
  for (int r = 0; r < 2; ++r) {
    if (!gave_up[r].Wait(kFarTooLongS)) {
      done->Set();
      return InternalError("rank ", r, " waits far longer than its deadline");
    }
  }
  // By messages the call itself may still end well, where all data is here.
  Status mine = MakeCall(kind, comm);
  if (mine.ok()) mine = comm.Barrier({.label = "next"});
  done->Set();
  return ExpectText(mine,
                    {"rank ", " has ended its wait", "rank 2 has not entered"});
}

using LateParam = std::tuple<std::string, CollectiveKind>;
class LateRankTest : public testing::TestWithParam<LateParam> {};

TEST_P(LateRankTest, IsLateForAllAndHearsIt) {
  const auto& [backend, kind] = GetParam();
  ForkEvent gave_up[2];
  ForkEvent done;
  EXPECT_EQ(RunOn(
                backend,
                3,
                [&, kind = kind](Communicator& comm) {
                  return CheckLateRank(comm, kind, gave_up, &done);
                },
                kLateDeadlineS),
            OkStatus());
}

std::string LateCaseName(const testing::TestParamInfo<LateParam>& info) {
  return Cat(std::get<0>(info.param), "_", Name(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(
    EveryCall,
    LateRankTest,
    testing::Combine(testing::Values("grpc"),
                     testing::Values(CollectiveKind::kAllReduce,
                                     CollectiveKind::kReduceScatter,
                                     CollectiveKind::kAllGather,
                                     CollectiveKind::kBroadcast,
                                     CollectiveKind::kAllToAll,
                                     CollectiveKind::kPermute,
                                     CollectiveKind::kBarrier)),
    LateCaseName);
INSTANTIATE_TEST_SUITE_P(
    EveryBackend,
    LateRankTest,
    testing::Combine(testing::Values("local", "shm", "direct", "ring", "hosts"),
                     testing::Values(CollectiveKind::kAllReduce,
                                     CollectiveKind::kAllToAll)),
    LateCaseName);

}  // namespace
}  // namespace gyre::internal::inline tests

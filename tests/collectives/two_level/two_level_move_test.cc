// What goes to each host once, for placements of all kinds. The conformance
// suite runs two levels as well (backends "hosts" and "scattered").

#include "gyre/collectives/two_level/two_level_move.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

LocalOptions OnHosts(std::vector<int> hosts, std::size_t stage_bytes) {
  LocalOptions options = {.deadline_s = 20, .messages = MessageOptions{}};
  options.messages->small_bytes = 256;
  options.messages->host_stage_bytes = stage_bytes;
  options.hosts = std::move(hosts);
  return options;
}

// Into another buffer, in place, and in place where it cannot be: the input
// is where another rank's part goes.
Status CheckAllGathers(Communicator& comm, std::size_t count) {
  const int size = comm.size();
  const int me = comm.rank();
  Bytes want;
  for (int r = 0; r < size; ++r) {
    const Bytes input = MakeInput(DType::kU8, r, count);
    want.insert(want.end(), input.begin(), input.end());
  }
  const Bytes mine = MakeInput(DType::kU8, me, count);
  for (const int place : {-1, me, (me + 1) % size}) {
    Bytes out(want.size());
    const std::byte* in = mine.data();
    if (place >= 0) {
      std::copy(mine.begin(), mine.end(), out.begin() + place * count);
      in = out.data() + place * count;
    }
    GYRE_RETURN_IF_ERROR(comm.AllGather(in, out.data(), count, DType::kU8, {}));
    GYRE_RETURN_IF_ERROR(
        SameBytes(out.data(), want, Cat("all_gather from place ", place)));
  }
  return OkStatus();
}

Status CheckBroadcasts(Communicator& comm, std::size_t count) {
  for (int root = 0; root < comm.size(); ++root) {
    Bytes data = MakeInput(DType::kU8, comm.rank(), count);
    GYRE_RETURN_IF_ERROR(
        comm.Broadcast(data.data(), count, DType::kU8, root, {}));
    GYRE_RETURN_IF_ERROR(SameBytes(
        data.data(), MakeInput(DType::kU8, root, count), "broadcast"));
  }
  return OkStatus();
}

TEST(TwoLevelMoveTest, AnyPlacementGetsAllData) {
  const std::vector<std::vector<int>> placements = {
      {0, 0, 1, 1},
      {0, 1, 0, 1},
      {0, 0, 0, 1},
      {0, 1, 1, 2, 0, 2, 2},
      {5, 5, 5},
  };
  for (const std::vector<int>& hosts : placements) {
    const int ranks = static_cast<int>(hosts.size());
    for (const std::size_t stage : {1000u, 1u << 20}) {
      LocalWorld world(ranks, OnHosts(hosts, stage));
      EXPECT_EQ(world.Run([](Communicator& comm) -> Status {
        for (const std::size_t count : {257u, 1023u, 50'001u}) {
          GYRE_RETURN_IF_ERROR(CheckAllGathers(comm, count));
          GYRE_RETURN_IF_ERROR(CheckBroadcasts(comm, count));
        }
        return OkStatus();
      }),
                OkStatus())
          << "hosts " << testing::PrintToString(hosts) << ", stage " << stage;
    }
  }
}

// Reductions and moves take turns on the same memory of the host.
TEST(TwoLevelMoveTest, CollectivesInARowDoNotMeetInTheStage) {
  LocalWorld world(4, OnHosts({0, 0, 1, 1}, 2048));
  EXPECT_EQ(world.Run([](Communicator& comm) -> Status {
    for (int round = 0; round < 30; ++round) {
      std::vector<std::int64_t> sum(1000, comm.rank() + round);
      std::vector<std::int64_t> all(4000);
      GYRE_RETURN_IF_ERROR(comm.AllReduce(
          sum.data(), sum.data(), 1000, DType::kI64, ReduceOp::kSum, {}));
      if (sum[999] != 6 + 4 * round) return InternalError("sum ", sum[999]);
      sum.assign(1000, comm.rank() + round);
      GYRE_RETURN_IF_ERROR(
          comm.AllGather(sum.data(), all.data(), 1000, DType::kI64, {}));
      for (int r = 0; r < 4; ++r) {
        if (all[r * 1000 + 999] != r + round) return InternalError("gather");
      }
      std::int64_t part[250];
      GYRE_RETURN_IF_ERROR(comm.ReduceScatter(
          sum.data(), part, 250, DType::kI64, ReduceOp::kSum, {}));
      if (part[0] != 6 + 4 * round) return InternalError("part ", part[0]);
    }
    return OkStatus();
  }),
            OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests

// What the operations refuse, and the groups that Split makes. Their results
// are in conformance_test.cc.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/backends.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

TEST(ExchangeCommunicatorTest,
     ArgumentsThatCannotBeAreRefusedBeforeAnyoneWaits) {
  EXPECT_EQ(LocalWorld(2).Run([](Communicator& comm) -> Status {
    float x[4] = {};
    const std::vector<int> one = {0};
    const std::vector<int> far = {0, 2};
    const std::size_t huge = std::numeric_limits<std::size_t>::max() - 7;
    using Call = std::function<Status(Communicator&)>;
    for (const Call& call : std::vector<Call>{
             [&](auto& c) { return c.Broadcast(x, 1, DType::kF32, 2, {}); },
             [&](auto& c) { return c.Broadcast(x, 1, DType::kF32, -1, {}); },
             [&](auto& c) {
               return c.Permute(x, x + 2, 1, DType::kF32, one, {});
             },
             [&](auto& c) {
               return c.Permute(x, x + 2, 1, DType::kF32, far, {});
             },
             [&](auto& c) {
               return c.AllReduce(x, x, 1, DType::kBool, ReduceOp::kSum, {});
             },
             [&](auto& c) { return c.AllGather(x, x, huge, DType::kF32, {}); },
             [&](auto& c) { return c.Allocate(huge, {}).status(); }}) {
      const std::vector<int> all = {0, 1};
      GYRE_ASSIGN_OR_RETURN(const auto group, comm.Split(all, {}));
      const Status status = call(*group);
      if (KindOf(status) != ErrorKind::kConfig || status.ok()) {
        return InternalError("expected a refusal, got: ", Message(status));
      }
    }
    return OkStatus();
  }),
            OkStatus());
}

class SplitTest : public testing::TestWithParam<std::string> {
 protected:
  Status RunRanks(int ranks, const std::function<Status(Communicator&)>& body) {
    return RunOn(GetParam(), ranks, body);
  }
};

TEST_P(SplitTest, GroupsKeepTheGivenOrder) {
  EXPECT_EQ(
      RunRanks(4,
               [](Communicator& comm) -> Status {
                 const std::vector<int> odd = {3, 1};
                 const std::vector<int> even = {0, 2};
                 GYRE_ASSIGN_OR_RETURN(
                     const auto group,
                     comm.Split(comm.rank() % 2 == 1 ? odd : even, {}));
                 const auto& mine = comm.rank() % 2 == 1 ? odd : even;
                 if (group->size() != 2 || mine[group->rank()] != comm.rank()) {
                   return InternalError(
                       "rank ", comm.rank(), " became ", group->rank());
                 }
                 int gathered[2] = {};
                 const int me = comm.rank();
                 GYRE_RETURN_IF_ERROR(
                     group->AllGather(&me, gathered, 1, DType::kI32, {}));
                 if (gathered[0] != mine[0] || gathered[1] != mine[1]) {
                   return InternalError(
                       "gathered ", gathered[0], ", ", gathered[1]);
                 }
                 return OkStatus();
               }),
      OkStatus());
}

TEST_P(SplitTest, TheTreeGoesByPositionInTheGroup) {
  EXPECT_EQ(
      RunRanks(3,
               [](Communicator& comm) -> Status {
                 const std::vector<int> order = {2, 0, 1};
                 GYRE_ASSIGN_OR_RETURN(const auto group, comm.Split(order, {}));
                 std::vector<Bytes> inputs;
                 for (const int r : order) {
                   inputs.push_back(MakeInput(DType::kF32, r, 40'000));
                 }
                 GYRE_ASSIGN_OR_RETURN(const SharedBuffer arena,
                                       group->Allocate(160'000, {}));
                 const Bytes mine = MakeInput(DType::kF32, comm.rank(), 40'000);
                 std::memcpy(arena.data, mine.data(), mine.size());
                 GYRE_RETURN_IF_ERROR(group->AllReduce(arena.data,
                                                       arena.data,
                                                       40'000,
                                                       DType::kF32,
                                                       ReduceOp::kSum,
                                                       {}));
                 return SameBytes(arena.data,
                                  ReferenceReduce(DType::kF32,
                                                  ReduceOp::kSum,
                                                  inputs,
                                                  group->reduction_order()),
                                  "sum over the group");
               }),
      OkStatus());
}

TEST_P(SplitTest, GroupsOfGroupsOfOneAndOfNone) {
  EXPECT_EQ(RunRanks(4,
                     [](Communicator& comm) -> Status {
                       const std::vector<int> three = {0, 1, 2};
                       const std::vector<int> none;
                       GYRE_ASSIGN_OR_RETURN(
                           const auto group,
                           comm.Split(comm.rank() < 3 ? three : none, {}));
                       if ((group == nullptr) != (comm.rank() == 3)) {
                         return InternalError("who is in the group?");
                       }
                       if (group == nullptr) return comm.Barrier({});
                       const std::vector<int> pair = {2, 1};
                       const std::vector<int> alone = {0};
                       GYRE_ASSIGN_OR_RETURN(
                           const auto inner,
                           group->Split(comm.rank() == 0 ? alone : pair, {}));
                       float x = static_cast<float>(comm.rank());
                       GYRE_RETURN_IF_ERROR(inner->AllReduce(
                           &x, &x, 1, DType::kF32, ReduceOp::kSum, {}));
                       if (x != (comm.rank() == 0 ? 0.0f : 3.0f))
                         return InternalError("sum ", x);
                       return comm.Barrier(
                           {});  // the world goes on beside its groups
                     }),
            OkStatus());
}

TEST_P(SplitTest, ListsThatDisagreeAreTheSameErrorOnAllRanks) {
  EXPECT_EQ(RunRanks(3,
                     [](Communicator& comm) -> Status {
                       const std::vector<int> a = {0, 1};
                       const std::vector<int> b = {1, 2};
                       const auto group =
                           comm.Split(comm.rank() == 0 ? a : b, {});
                       if (KindOf(group.status()) != ErrorKind::kMismatch) {
                         return InternalError("got: ", Message(group.status()));
                       }
                       const std::vector<int> many = {0, 1, 2, 0, 1, 2};
                       const auto wide = comm.Split(many, {});
                       if (KindOf(wide.status()) != ErrorKind::kConfig) {
                         return InternalError("got: ", Message(wide.status()));
                       }
                       return comm.Barrier({});
                     }),
            OkStatus());
}

TEST_P(SplitTest, MessagesNameRanksOfTheWorld) {
  EXPECT_EQ(RunRanks(4,
                     [](Communicator& comm) -> Status {
                       const std::vector<int> low = {0, 1};
                       const std::vector<int> high = {2, 3};
                       GYRE_ASSIGN_OR_RETURN(
                           const auto group,
                           comm.Split(comm.rank() < 2 ? low : high, {}));
                       float x[3] = {};
                       const Status status =
                           group->AllReduce(x,
                                            x,
                                            comm.rank() == 3 ? 2 : 3,
                                            DType::kF32,
                                            ReduceOp::kSum,
                                            {});
                       if (comm.rank() < 2) return status;
                       const std::string text = Message(status);
                       if (text.find("rank 2 called") == std::string::npos ||
                           text.find("rank 3 called") == std::string::npos) {
                         return InternalError("got: ", text);
                       }
                       return OkStatus();
                     }),
            OkStatus());
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         SplitTest,
                         testing::ValuesIn(kAllBackends),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gyre::internal::inline tests

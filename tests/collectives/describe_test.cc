#include "gyre/collectives/describe.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gyre/collectives/local/local_space.h"
#include "gyre/collectives/membership.h"

namespace gyre::internal::inline tests {
namespace {

CallText Call(CollectiveKind kind) {
  CallText call;
  call.record.kind = kind;
  call.record.sequence = 18;
  call.record.count = 100;
  call.record.dtype = DType::kBF16;
  call.record.op = ReduceOp::kMean;
  call.record.line = 88;
  call.label = "gradients";
  call.file = "train.cc";
  return call;
}

TEST(DescribeTest, EveryKindAndOpHasItsName) {
  EXPECT_EQ(Name(CollectiveKind::kAllReduce), "all_reduce");
  EXPECT_EQ(Name(CollectiveKind::kAllocate), "allocate");
  EXPECT_EQ(Name(ReduceOp::kProd), "prod");
  EXPECT_EQ(Name(static_cast<CollectiveKind>(77)), "unknown collective");
  EXPECT_EQ(Name(static_cast<ReduceOp>(77)), "unknown op");
}

TEST(DescribeTest, CallsInWords) {
  CallText call = Call(CollectiveKind::kAllReduce);
  EXPECT_EQ(DescribeCall(call),
            "all_reduce #18 (gradients): mean of 100 bf16, at train.cc:88");
  call.record.bucket = 3;
  call.file = "";
  EXPECT_EQ(DescribeCall(call),
            "all_reduce #18 (gradients): mean of 100 bf16, bucket 3");
  EXPECT_EQ(DescribeCall(Call(CollectiveKind::kAllGather)),
            "all_gather #18 (gradients): 100 bf16, at train.cc:88");
  call = Call(CollectiveKind::kBarrier);
  call.label = "";
  EXPECT_EQ(DescribeCall(call), "barrier #18, at train.cc:88");
}

TEST(DescribeTest, ListsOfRanks) {
  EXPECT_EQ(RankList(std::vector<int>{2}), "rank 2");
  EXPECT_EQ(RankList(std::vector<int>{2, 3}), "ranks 2 and 3");
  EXPECT_EQ(RankList(std::vector<int>{1, 2, 5}), "ranks 1, 2 and 5");
  EXPECT_EQ(RankList(std::vector<int>{4, 5, 6, 7}), "ranks 4 to 7");
  EXPECT_EQ(RankList(std::vector<int>{0, 2, 3, 5, 6, 7}),
            "ranks 0, 2, 3 and 5 to 7");
  EXPECT_EQ(RankList(std::vector<int>{0, 1, 2, 9}), "ranks 0 to 2 and 9");
}

TEST(DescribeTest, LastSeenSaysTheBestThatIsKnown) {
  LocalMemory memory(2);
  WorldHeader& world = memory.header();
  RankSlot& slot = WorldBlock(world).slot(1);
  EXPECT_EQ(LastSeen(world, 1, slot), "it has never joined");
  ASSERT_TRUE(JoinWorldAs(world, 1).ok());
  EXPECT_EQ(LastSeen(world, 1, slot), "it has joined, but made no call");
  slot.phase.store(5);
  slot.kind.store(static_cast<std::uint32_t>(CollectiveKind::kAllGather));
  slot.sequence.store(17);
  slot.step.store(-1);
  slot.line.store(31);
  slot.label.Store("parameters");
  slot.file.Store("loop.cc");
  EXPECT_EQ(LastSeen(world, 1, slot),
            "last seen in all_gather #17 (parameters) at loop.cc:31");
  slot.step.store(4);
  EXPECT_EQ(LastSeen(world, 1, slot),
            "last seen in all_gather #17 (parameters) at loop.cc:31, step 4");
  world.peer(1).activity.Store("forward");
  EXPECT_EQ(LastSeen(world, 1, slot), "last seen in forward");
  world.peer(1).step.store(413);
  EXPECT_EQ(LastSeen(world, 1, slot), "last seen in step 412, forward");
}

TEST(DescribeTest, ADisagreementNamesBothSides) {
  CallText a = Call(CollectiveKind::kAllReduce);
  CallText b = Call(CollectiveKind::kBarrier);
  b.rank = 3;
  b.file = "eval.cc";
  const Status status = Disagreement(a, b, "they differ");
  EXPECT_EQ(KindOf(status), ErrorKind::kMismatch);
  EXPECT_EQ(Message(status),
            "ranks disagree on their collective: rank 0 called all_reduce #18 "
            "(gradients): mean of 100 bf16, at train.cc:88; rank 3 called "
            "barrier #18 (gradients), at eval.cc:88; they differ. All ranks "
            "must make the same calls in the same order, from the same line, "
            "with the same label, type and count");
}

TEST(DescribeTest, OnlyWhatNoWordShowsIsSaidBeside) {
  ControlRecord a = Call(CollectiveKind::kAllReduce).record;
  ControlRecord b = a;
  EXPECT_EQ(Difference(a, b), "");
  b.site = 7;
  EXPECT_FALSE(a.Matches(b));
  EXPECT_EQ(Difference(a, b), "they differ in the label or the source line");
  b.count = 101;
  EXPECT_EQ(Difference(a, b), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

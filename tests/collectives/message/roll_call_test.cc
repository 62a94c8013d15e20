#include "gyre/collectives/message/roll_call.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gyre::internal::inline tests {
namespace {

CallHead HeadOfRollCall(std::uint64_t count, std::uint64_t sequence = 1) {
  ControlRecord record;
  record.count = count;
  record.sequence = sequence;
  record.kind = CollectiveKind::kAllReduce;
  return MakeCallHead(record, 0, 0, {.loc = {}});
}

TEST(RollCallTest, IsCompleteWhenAllHaveCome) {
  RollCall roll({4, 5, 6}, 1);
  roll.Begin(HeadOfRollCall(10));
  EXPECT_TRUE(roll.has(1));
  EXPECT_FALSE(roll.complete());
  roll.Add(0, HeadOfRollCall(10));
  roll.Add(2, HeadOfRollCall(10));
  EXPECT_TRUE(roll.complete());
  EXPECT_FALSE(roll.Failed());
  EXPECT_EQ(roll.Agreement(), OkStatus());
  roll.Begin(HeadOfRollCall(10));
  EXPECT_FALSE(roll.has(0));
}

TEST(RollCallTest, ADisagreementNamesTheFirstTwoRanksOfTheWorld) {
  RollCall roll({4, 5, 6}, 1);
  roll.Begin(HeadOfRollCall(10));
  roll.Add(2, HeadOfRollCall(11));
  roll.Add(0, HeadOfRollCall(10));
  EXPECT_TRUE(roll.Failed());
  const std::string text = Message(roll.Agreement());
  EXPECT_NE(text.find("rank 4 called"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 6 called"), std::string::npos) << text;
}

TEST(RollCallTest, ADisagreementWaitsForOthersForMomentsOnly) {
  RollCall roll({0, 1, 2}, 0);
  roll.Begin(HeadOfRollCall(10));
  roll.Add(1, HeadOfRollCall(11));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(roll.Failed());
  EXPECT_EQ(KindOf(roll.Agreement()), ErrorKind::kMismatch);
}

TEST(RollCallTest, TheLastCallIsKnownFromEarlier) {
  RollCall roll({0, 1}, 0);
  EXPECT_EQ(roll.LastCall(1), "");
  roll.Begin(HeadOfRollCall(10, 1));
  roll.Add(1, HeadOfRollCall(10, 1));
  roll.Begin(HeadOfRollCall(10, 2));
  EXPECT_EQ(roll.LastCall(1), "last seen in all_reduce #1");
}

}  // namespace
}  // namespace gyre::internal::inline tests

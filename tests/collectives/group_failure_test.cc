#include "gyre/collectives/group_failure.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

constexpr Waiting kEndBarrier = {CollectiveKind::kBarrier, 7, "end"};
const std::vector<int> kStillNeeded = {1, 2};

TEST(GroupFailureTest, OthersAreToldWhatTheyDoNotFindThemselves) {
  EXPECT_TRUE(IsOwnFailure(ConfigError("root 99")));
  EXPECT_TRUE(IsOwnFailure(InternalError("a damaged record")));
  EXPECT_TRUE(IsOwnFailure(DeadlineError("rank 2 is late")));
  EXPECT_FALSE(IsOwnFailure(PeerLostError("rank 2 is lost")));
  EXPECT_FALSE(IsOwnFailure(MismatchError("two counts")));
  EXPECT_FALSE(IsOwnFailure(OkStatus()));
}

TEST(GroupFailureTest, EarlierCallsEndAsEver) {
  for (const bool late : {false, true}) {
    EXPECT_FALSE(Concerns({1, 8, late}, kStillNeeded, kEndBarrier));
    EXPECT_TRUE(Concerns({1, 7, late}, kStillNeeded, kEndBarrier));
    EXPECT_TRUE(Concerns({1, 3, late}, kStillNeeded, kEndBarrier));
  }
}

TEST(GroupFailureTest, WhoIsNotWaitedForMayEndItsOwnWait) {
  EXPECT_TRUE(Concerns({3, 7, false}, kStillNeeded, kEndBarrier));
  EXPECT_FALSE(Concerns({3, 7, true}, kStillNeeded, kEndBarrier));
}

TEST(GroupFailureTest, TheErrorSaysWhoAndWhy) {
  const Status refused = FailedError({2, 7, false, "root 99"}, kEndBarrier);
  EXPECT_EQ(KindOf(refused), ErrorKind::kPeer);
  EXPECT_EQ(Message(refused),
            "rank 2 cannot go on in this group: root 99; this rank was in "
            "barrier #7 (end)");
  const Status late = FailedError({0, 6, true, "rank 1 is late"}, kEndBarrier);
  EXPECT_EQ(KindOf(late), ErrorKind::kPeer);
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Message(late),
            "rank 0 has ended its wait, and does not come to barrier #7 (end) "
            "of this rank any more: rank 1 is late");
}

TEST(GroupFailureTest, OfSeveralTheEarliestCallAndTheFirstRankCount) {
  GroupFailures failures;
  failures.Add(4, {2, 6, false, "two"});
  failures.Add(4, {2, 5, false, "two again"});
  failures.Add(4, {1, 6, false, "one"});
  failures.Add(4, {0, 9, false, "later"});
  failures.Add(5, {0, 1, false, "another group"});
  EXPECT_NE(
      Message(failures.Check(4, kStillNeeded, kEndBarrier)).find(": one;"),
      std::string::npos);
  EXPECT_TRUE(failures.Check(3, kStillNeeded, kEndBarrier).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

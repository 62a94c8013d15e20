#include "gyre/collectives/membership.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/local/local_space.h"

namespace gyre::internal::inline tests {
namespace {

constexpr Waiting kWaiting = {CollectiveKind::kBarrier, 7, "end"};

class MembershipTest : public testing::Test {
 protected:
  MembershipTest()
      : memory_(std::make_shared<LocalMemory>(3)), space_(memory_, 0) {}

  WorldHeader& world() { return memory_->header(); }
  Status Check(const std::vector<int>& needed) {
    return CheckMembers(space_, needed, true, kWaiting);
  }

  std::shared_ptr<LocalMemory> memory_;
  LocalSpace space_;
};

TEST_F(MembershipTest, ARankJoinsOnce) {
  EXPECT_TRUE(JoinWorldAs(world(), 1).ok());
  const Status again = JoinWorldAs(world(), 1);
  EXPECT_EQ(KindOf(again), ErrorKind::kConfig);
  EXPECT_NE(Message(again).find("rank 1 has joined already"),
            std::string::npos);
}

TEST_F(MembershipTest, OnlyARankThatIsNeededMayNotHaveLeft) {
  ASSERT_TRUE(JoinWorldAs(world(), 1).ok());
  LeaveWorldAs(world(), 1);
  EXPECT_TRUE(Check({}).ok());
  EXPECT_TRUE(Check({2}).ok());
  const Status status = Check({2, 1});
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);
  EXPECT_NE(Message(status).find("rank 1 has left the world and will not "
                                 "enter barrier #7 (end)"),
            std::string::npos);
}

TEST_F(MembershipTest, TheFirstAbortCounts) {
  EXPECT_FALSE(ReadAbort(world()).has_value());
  PostAbort(world(), 2, GuardError("10 skips in a row"));
  PostAbort(world(), 1, PeerLostError("rank 2 gave up"));
  const auto notice = ReadAbort(world());
  ASSERT_TRUE(notice.has_value());
  EXPECT_EQ(notice->rank, 2);
  EXPECT_EQ(notice->kind, ErrorKind::kGuard);
  EXPECT_EQ(notice->text, "10 skips in a row");
  const Status status = Check({});
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);
  EXPECT_EQ(Message(status),
            "rank 2 gave up: 10 skips in a row; this rank waited in barrier "
            "#7 (end)");
}

TEST_F(MembershipTest, ARankDoesNotHearItsOwnAbort) {
  PostAbort(world(), 0, GuardError("x"));
  EXPECT_TRUE(Check({}).ok());
}

TEST_F(MembershipTest, AVeryLongReasonIsCut) {
  PostAbort(world(), 1, GuardError(std::string(5000, 'x')));
  EXPECT_EQ(ReadAbort(world())->text, std::string(511, 'x'));
}

}  // namespace
}  // namespace gyre::internal::inline tests

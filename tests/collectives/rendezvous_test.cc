#include "gyre/collectives/rendezvous.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gyre/collectives/local/local_space.h"
#include "gyre/collectives/membership.h"

namespace gyre::internal::inline tests {
namespace {

constexpr Waiting kWaitingRendezvous = {CollectiveKind::kAllReduce, 3, "loss"};

class RendezvousTest : public testing::Test {
 protected:
  RendezvousTest() : memory_(std::make_shared<LocalMemory>(2)) {
    for (int r = 0; r < 2; ++r) {
      spaces_.push_back(std::make_unique<LocalSpace>(memory_, r));
    }
  }
  Rendezvous Make(int rank, WaitPolicy policy = {}) {
    return Rendezvous(
        *spaces_[rank], WorldBlock(memory_->header()), {0, 1}, rank, policy);
  }
  GroupHeader& header() { return WorldBlock(memory_->header()).header(); }

  std::shared_ptr<LocalMemory> memory_;
  std::vector<std::unique_ptr<LocalSpace>> spaces_;
};

void Meet(Rendezvous& rendezvous, int times) {
  for (int i = 0; i < times; ++i) {
    rendezvous.Arrive();
    ASSERT_EQ(rendezvous.Wait(kWaitingRendezvous), OkStatus());
  }
}

TEST_F(RendezvousTest, NobodyGoesThroughBeforeAllHaveCome) {
  for (const std::int64_t spin_ns : {std::int64_t{0}, std::int64_t{20'000}}) {
    int a = 0;
    int b = 0;
    std::thread other([&] {
      Rendezvous second = Make(1, {.spin_ns = spin_ns});
      for (int i = 1; i <= 500; ++i) {
        b = i;  // no atomics: the rendezvous orders these
        Meet(second, 1);
        EXPECT_EQ(a, i);
        Meet(second, 1);
      }
    });
    Rendezvous first = Make(0, {.spin_ns = spin_ns});
    for (int i = 1; i <= 500; ++i) {
      a = i;
      Meet(first, 1);
      EXPECT_EQ(b, i);
      Meet(first, 1);
    }
    other.join();
    header().arrivals.store(0);
    for (int r = 0; r < 2; ++r) {
      WorldBlock(memory_->header()).slot(r).phase.store(0);
    }
  }
}

TEST_F(RendezvousTest, ALateRankIsNamedAtTheDeadline) {
  Rendezvous first = Make(0, {.deadline_ns = 100'000'000});
  ASSERT_TRUE(JoinWorldAs(memory_->header(), 1).ok());
  memory_->header().peer(1).activity.Store("backward");
  first.Arrive();
  const Status status = first.Wait(kWaitingRendezvous);
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);
  EXPECT_EQ(Message(status),
            "rank 1 has not entered all_reduce #3 (loss) after 0.1 s; last "
            "seen in backward");
}

TEST_F(RendezvousTest, WhoComesAfterTheDeadlineDoesNotGoThrough) {
  for (int r = 0; r < 2; ++r) {
    ASSERT_TRUE(JoinWorldAs(memory_->header(), r).ok());
  }
  Rendezvous first = Make(0, {.deadline_ns = 10'000'000});
  Rendezvous second = Make(1, {.deadline_ns = 10'000'000});
  first.Arrive();
  ASSERT_FALSE(first.Wait(kWaitingRendezvous).ok());
  second.Arrive();
  EXPECT_FALSE(second.Wait(kWaitingRendezvous).ok());
}

TEST_F(RendezvousTest, ARankThatLeavesOrGivesUpEndsTheWait) {
  Rendezvous first = Make(0);
  first.Arrive();
  std::thread other(
      [&] { PostAbort(memory_->header(), 1, DataError("no file")); });
  const Status status = first.Wait(kWaitingRendezvous);
  other.join();
  EXPECT_NE(Message(status).find("rank 1 gave up: no file"), std::string::npos);
}

TEST_F(RendezvousTest, ARankThatFailsInTheGroupEndsTheWait) {
  Rendezvous first = Make(0);
  Rendezvous second = Make(1);
  first.Arrive();
  // Its third call does not take place, and this is it.
  std::thread other([&] { second.Fail({1, 3, false, "root 99"}); });
  const Status status = first.Wait(kWaitingRendezvous);
  other.join();
  EXPECT_NE(Message(status).find("rank 1 cannot go on in this group: root 99"),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

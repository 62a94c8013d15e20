#include "gyre/collectives/shm/shm_space.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace gyre::internal::inline tests {
namespace {

class ShmSpaceTest : public testing::Test {
 protected:
  ShmSpaceTest() : file_(*CreateShmWorld(2, "token")) {}

  StatusOr<std::shared_ptr<ShmSpace>> Open(int rank) {
    return ShmSpace::Open(::dup(file_.get()), rank, 2, "token");
  }

  FileHandle file_;
};

TEST_F(ShmSpaceTest, TwoRanksSeeOneHeader) {
  const auto first = Open(0);
  const auto second = Open(1);
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  EXPECT_EQ((*first)->backend(), "shm");
  EXPECT_EQ((*second)->rank(), 1);
  EXPECT_EQ((*second)->ranks(), 2);
  (*first)->header().peer(0).activity.Store("here");
  EXPECT_EQ((*second)->header().peer(0).activity.Load(), "here");
}

TEST_F(ShmSpaceTest, ALocationMeansTheSameMemoryToBoth) {
  const auto first = Open(0);
  const auto second = Open(1);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto location = (*first)->Reserve(10'000);
  ASSERT_TRUE(location.ok()) << location.status();
  const auto a = (*first)->Map(*location, 10'000);
  const auto b = (*second)->Map(*location, 10'000);
  ASSERT_TRUE(a.ok() && b.ok());
  (*a)[5000] = std::byte{9};
  const Location found = (*first)->Find(*a + 5000, 5000);
  EXPECT_EQ(*(*second)->At(found), std::byte{9});
}

TEST_F(ShmSpaceTest, OnlyWholeBuffersInsideAreFound) {
  const auto space = Open(0);
  ASSERT_TRUE(space.ok());
  const auto location = (*space)->Reserve(4096);
  ASSERT_TRUE(location.ok());
  const auto data = (*space)->Map(*location, 4096);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*space)->Find(*data, 4096), *location);
  EXPECT_EQ((*space)->Find(*data + 1, 4096), kNowhere);
  EXPECT_EQ((*space)->Find(*data - 1, 1), kNowhere);
  int heap = 0;
  EXPECT_EQ((*space)->Find(&heap, sizeof heap), kNowhere);
  EXPECT_EQ((*space)->At(*location + 4096), nullptr);
}

TEST_F(ShmSpaceTest, ReservationsDoNotOverlap) {
  const auto first = Open(0);
  const auto second = Open(1);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto a = (*first)->Reserve(100);
  const auto b = (*second)->Reserve(100);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_GE(*b, *a + 100);
}

TEST_F(ShmSpaceTest, TheFileIsNotPassedOnToOtherPrograms) {
  const int fd = ::dup(file_.get());
  const auto space = ShmSpace::Open(fd, 0, 2, "token");
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
}

TEST_F(ShmSpaceTest, ForeignFilesAndOtherRunsAreRefused) {
  const auto message = [](const auto& space) {
    return Message(space.status());
  };
  const auto token = ShmSpace::Open(::dup(file_.get()), 0, 2, "other");
  EXPECT_NE(message(token).find("token"), std::string::npos);
  const auto size = ShmSpace::Open(::dup(file_.get()), 0, 1, "token");
  EXPECT_NE(message(size).find("for 2 ranks"), std::string::npos);
  const auto closed = ShmSpace::Open(987, 0, 2, "token");
  EXPECT_NE(message(closed).find("file descriptor 987"), std::string::npos);
  auto empty = CreateMemfd("test");
  ASSERT_TRUE(empty.ok());
  EXPECT_FALSE(ShmSpace::Open(empty->Release(), 0, 2, "token").ok());
  auto zeros = CreateMemfd("test");
  ASSERT_TRUE(zeros.ok());
  ASSERT_TRUE(ReserveBytes(zeros->get(), 0, WorldAreaBytes(2)).ok());
  const auto other = ShmSpace::Open(zeros->Release(), 0, 2, "token");
  EXPECT_NE(message(other).find("none of Gyre's"), std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

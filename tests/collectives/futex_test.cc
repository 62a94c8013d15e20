#include "gyre/collectives/futex.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <thread>

#include "gyre/core/clock.h"

namespace gyre::internal::inline tests {
namespace {

constexpr std::int64_t kLong = 20'000'000'000;

TEST(FutexTest, ReturnsAtOnceWhenTheWordHasChanged) {
  const std::atomic<std::uint32_t> word{1};
  EXPECT_TRUE(FutexWait(word, 0, NowNanos() + kLong));
}

TEST(FutexTest, TellsThatTheDeadlineHasPassed) {
  const std::atomic<std::uint32_t> word{0};
  EXPECT_FALSE(FutexWait(word, 0, NowNanos() + 1'000'000));
  EXPECT_FALSE(FutexWait(word, 0, NowNanos() - 1));
}

TEST(FutexTest, WakesAThread) {
  std::atomic<std::uint32_t> word{0};
  std::thread waker([&] {
    word.store(1);
    FutexWakeAll(word);
  });
  while (word.load() == 0) {
    ASSERT_TRUE(FutexWait(word, 0, NowNanos() + kLong));
  }
  waker.join();
}

TEST(FutexTest, WakesAnotherProcess) {
  void* const page = ::mmap(
      nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* words = new (page) std::atomic<std::uint32_t>[2]();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    words[1].store(1);
    FutexWakeAll(words[1]);
    while (words[0].load() == 0) {
      if (!FutexWait(words[0], 0, NowNanos() + kLong)) ::_exit(1);
    }
    ::_exit(0);
  }
  while (words[1].load() == 0) {
    ASSERT_TRUE(FutexWait(words[1], 0, NowNanos() + kLong));
  }
  words[0].store(1);
  FutexWakeAll(words[0]);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  ::munmap(page, 4096);
}

}  // namespace
}  // namespace gyre::internal::inline tests

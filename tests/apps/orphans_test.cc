#include "apps/gyre/launch/orphans.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gyre::internal::inline tests {
namespace {

[[noreturn]] void Sleep() {
  for (int i = 0; i < 60; ++i) ::sleep(1);
  ::_exit(0);
}

TEST(OrphansTest, EndsWhatWasLeftBehindButNotWhatWasThereBefore) {
  const pid_t former = ::fork();
  if (former == 0) Sleep();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Orphans orphans;
  const pid_t middle = ::fork();
  if (middle == 0) {
    if (const pid_t child = ::fork(); child != 0) ::_exit(0);
    ::setsid();
    const pid_t me = ::getpid();
    [[maybe_unused]] const ssize_t n = ::write(ends[1], &me, sizeof me);
    Sleep();
  }
  pid_t orphan = 0;
  ASSERT_EQ(::read(ends[0], &orphan, sizeof orphan),
            static_cast<ssize_t>(sizeof orphan));
  ASSERT_EQ(::waitpid(middle, nullptr, 0), middle);
  orphans.End();
  EXPECT_EQ(::kill(orphan, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(::kill(former, 0), 0);
  ::kill(former, SIGKILL);
  ::waitpid(former, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace gyre::internal::inline tests

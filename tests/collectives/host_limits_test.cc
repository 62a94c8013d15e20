#include "gyre/collectives/host_limits.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

namespace gyre::internal::inline tests {
namespace {

TEST(HostLimitsTest, QuotaOfACgroup) {
  EXPECT_EQ(QuotaFromCpuMax("150000 100000"), 1.5);
  EXPECT_EQ(QuotaFromCpuMax("max 100000"), std::nullopt);
  EXPECT_EQ(QuotaFromCpuMax(""), std::nullopt);
  EXPECT_EQ(QuotaFromCpuMax("100000"), std::nullopt);
  EXPECT_EQ(QuotaFromCpuMax("0 100000"), std::nullopt);
}

TEST(HostLimitsTest, APinnedThreadHasOneProcessor) {
  EXPECT_GE(AllowedCpus(), 1);
  int pinned = 0;
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    pinned = AllowedCpus();
  }).join();
  EXPECT_EQ(pinned, 1);
}

void PinToOneProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// The exit code of `body` in a process of its own.
int InChild(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int state = -1;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// A launcher that binds its ranks has the processors of all of them.
TEST(HostLimitsTest, TheParentsProcessorsCountForTheHost) {
  const int all = HostCpus();
  EXPECT_EQ(InChild([&] {
              PinToOneProcessor();
              return AllowedCpus() == 1 && HostCpus() == all;
            }),
            0);
  EXPECT_EQ(InChild([&] {
              PinToOneProcessor();
              return InChild([] {
                       return HostCpus() == 1 && PolicyFor(2, 30).spin_ns == 0;
                     }) == 0;
            }),
            0);
}

TEST(HostLimitsTest, RanksSpinOnlyWhereEachHasAProcessor) {
  const WaitPolicy fits = PolicyFor(1, 2.5);
  EXPECT_GT(fits.spin_ns, 0);
  EXPECT_EQ(fits.deadline_ns, 2'500'000'000);
  EXPECT_EQ(PolicyFor(100'000, 30).spin_ns, 0);
  EXPECT_LT(SmallBytesFor(1), SmallBytesFor(100'000));
}

TEST(HostLimitsTest, MemoryIsCheckedAgainstWhatThereIs) {
  EXPECT_GT(AvailableMemory(), std::uint64_t{1} << 20);
  EXPECT_TRUE(CheckMemory(4096).ok());
  const std::size_t huge = std::size_t{1} << 60;
  const Status status = CheckMemory(huge);
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_NE(Message(status).find(Cat(huge)), std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

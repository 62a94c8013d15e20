#include "gyre/monitor/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;

// A machine of files.
class MadeUpMachine {
 public:
  MadeUpMachine() {
    for (const char* folder : {"/proc/self", "/sys/fs/cgroup"}) {
      EXPECT_TRUE(CreateDirectories(root() + folder).ok());
    }
    Write("/proc/self/status", "Name:\tx\nVmRSS:\t  2048 kB\nVmSwap:\t 0 kB\n");
    Memory(8000);
    Swap(100);
    Throttle(0);
  }
  std::string root() const { return dir_.path(); }
  void Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(root() + name, text).ok());
  }
  void Memory(int available_mb) {
    Write("/proc/meminfo",
          Cat("MemTotal:  16384000 kB\nMemAvailable: ",
              available_mb * 1024,
              " kB\n"));
  }
  void Swap(int pages, int killed = 0) {
    Write("/proc/vmstat",
          Cat("pswpin ", pages, "\npswpout 0\noom_kill ", killed, "\n"));
  }
  void Throttle(int us) {
    Write("/sys/fs/cgroup/cpu.stat",
          Cat("nr_throttled 3\nthrottled_usec ", us, "\n"));
  }

 private:
  TempDir dir_;
};

TEST(Machine, ReadsThisOne) {
  const MachineSample s = ReadMachine();
  ASSERT_TRUE(s.rss_mb.has_value());
  EXPECT_GT(*s.rss_mb, 1);
  ASSERT_TRUE(s.available_mb.has_value());
  EXPECT_GT(*s.available_mb, *s.rss_mb / 1e6);
  EXPECT_TRUE(s.major_faults.has_value());
  EXPECT_NE(ToJson(s).Find("rss_mb"), nullptr);
}

TEST(Machine, LeavesOutWhatItCannotRead) {
  const MachineSample s = ReadMachine("/nowhere");
  EXPECT_FALSE(s.rss_mb.has_value());
  EXPECT_FALSE(s.throttled_ms.has_value());
  EXPECT_EQ(ToJson(s).Find("available_mb"), nullptr);
}

TEST(MachineWatch, LooksAtMostEveryFiveSeconds) {
  MadeUpMachine machine;
  MachineWatch watch(machine.root());
  const auto first = watch.Look(0);
  ASSERT_TRUE(first.has_value());
  EXPECT_DOUBLE_EQ(*first->rss_mb, 2);
  EXPECT_DOUBLE_EQ(*first->available_mb, 8000);
  EXPECT_FALSE(watch.Look(4 * kSecond).has_value());
  EXPECT_TRUE(watch.Look(5 * kSecond).has_value());
  EXPECT_THAT(watch.complaints(), IsEmpty());
}

TEST(MachineWatch, ComplainsOfWhatGrew) {
  MadeUpMachine machine;
  MachineWatch watch(machine.root());
  ASSERT_TRUE(watch.Look(0).has_value());
  machine.Swap(1100, 1);
  machine.Throttle(900'000);
  ASSERT_TRUE(watch.Look(10 * kSecond).has_value());
  EXPECT_THAT(watch.complaints(),
              ElementsAre(HasSubstr("swapped 1000 pages in or out in 10 s"),
                          HasSubstr("killed 1 process(es) for memory"),
                          HasSubstr("held it up for 900 ms in 10 s")));
  // The same numbers again are no news.
  ASSERT_TRUE(watch.Look(20 * kSecond).has_value());
  EXPECT_THAT(watch.complaints(), IsEmpty());
}

TEST(MachineWatch, SaysOnceThatMemoryIsLow) {
  MadeUpMachine machine;
  machine.Memory(100);
  MachineWatch watch(machine.root());
  ASSERT_TRUE(watch.Look(0).has_value());
  EXPECT_THAT(watch.complaints(), ElementsAre(HasSubstr("only 100 MB")));
  ASSERT_TRUE(watch.Look(6 * kSecond).has_value());
  EXPECT_THAT(watch.complaints(), IsEmpty());
}

}  // namespace
}  // namespace gyre::internal::inline tests

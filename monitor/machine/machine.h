// What the machine does to this process: memory, swap, a throttled CPU.
//
//   MachineWatch watch;
//   if (const auto sample = watch.Look(NowNanos())) log(ToJson(*sample));
//   for (const std::string& text : watch.complaints()) ...   // worth an event
//
// Read from /proc and /sys, which cost tens of microseconds: at most once in
// five seconds. A file that is not there leaves its numbers out; containers
// hide some.

#ifndef GYRE_MONITOR_MACHINE_MACHINE_H_
#define GYRE_MONITOR_MACHINE_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"

namespace gyre::internal::inline monitor {

struct MachineSample {
  std::optional<double> rss_mb;        // of this process
  std::optional<double> swap_mb;       // of this process, swapped out
  std::optional<double> available_mb;  // of the machine
  std::optional<double> total_mb;
  std::optional<double> load;             // of the last minute
  std::optional<std::int64_t> swapped;    // pages in and out, since the boot
  std::optional<std::int64_t> oom_kills;  // since the boot
  // Of this process's control group and of the processors, since their start.
  std::optional<double> throttled_ms;
  std::optional<std::int64_t> hot_throttles;
  // Of this process, since its start.
  std::optional<std::int64_t> major_faults;
  std::optional<std::int64_t> preempted;
};

// `root` stands in for "" in tests: root + "/proc/meminfo".
MachineSample ReadMachine(const std::string& root = "");
Json ToJson(const MachineSample& sample);

class MachineWatch {
 public:
  static constexpr std::int64_t kLeastNanos = 5'000'000'000;

  explicit MachineWatch(std::string root = "") : root_(std::move(root)) {}

  // Nothing if the last look was not long ago.
  std::optional<MachineSample> Look(std::int64_t now_ns);
  // What changed for the worse since the look before, or was bad at the
  // first: "the machine swapped 812 pages in or out in 5 s".
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void Compare(const MachineSample& now, double seconds);

  const std::string root_;
  std::optional<MachineSample> last_;
  std::int64_t last_ns_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_MACHINE_MACHINE_H_

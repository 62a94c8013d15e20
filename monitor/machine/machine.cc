#include "gyre/monitor/machine/machine.h"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "gyre/core/io/file.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {
namespace {

// The number behind "MemAvailable:" or "nr_throttled", in lines of a file.
std::optional<double> NumberAfter(const std::string& path,
                                  std::string_view key) {
  std::ifstream in(path);
  std::string word;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    double number = 0;
    if (words >> word && word == key && words >> number) return number;
  }
  return std::nullopt;
}

std::optional<double> Scaled(std::optional<double> number, double factor) {
  if (number.has_value()) *number *= factor;
  return number;
}

std::optional<std::int64_t> Whole(std::optional<double> number) {
  if (!number.has_value()) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> FirstNumber(const std::string& path) {
  std::ifstream in(path);
  double number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

// Of the control group that limits this process's CPU time: version 2 of the
// kernel's interface counts in us, version 1 in ns.
std::optional<double> ThrottledMs(const std::string& root) {
  const auto two =
      NumberAfter(root + "/sys/fs/cgroup/cpu.stat", "throttled_usec");
  if (two.has_value()) return Scaled(two, 1e-3);
  return Scaled(
      NumberAfter(root + "/sys/fs/cgroup/cpu/cpu.stat", "throttled_time"),
      1e-6);
}

std::optional<std::int64_t> HotThrottles(const std::string& root) {
  std::optional<std::int64_t> total;
  constexpr int kMostCores = 1024;
  for (int cpu = 0; cpu < kMostCores; ++cpu) {
    const auto count =
        FirstNumber(Cat(root,
                        "/sys/devices/system/cpu/cpu",
                        cpu,
                        "/thermal_throttle/core_throttle_count"));
    if (!count.has_value()) break;
    total = total.value_or(0) + static_cast<std::int64_t>(*count);
  }
  return total;
}

std::optional<std::int64_t> Swapped(const std::string& root) {
  const auto in = NumberAfter(root + "/proc/vmstat", "pswpin");
  const auto out = NumberAfter(root + "/proc/vmstat", "pswpout");
  if (!in.has_value() || !out.has_value()) return std::nullopt;
  return static_cast<std::int64_t>(*in + *out);
}

template <class T>
void SetIfKnown(Json& json, const char* key, const std::optional<T>& value) {
  if (value.has_value()) json.Set(key, *value);
}

template <class T>
T Rise(const std::optional<T>& before, const std::optional<T>& now) {
  return before.has_value() && now.has_value() ? *now - *before : T(0);
}

}  // namespace

MachineSample ReadMachine(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  const std::string status = root + "/proc/self/status";
  MachineSample s;
  s.rss_mb = Scaled(NumberAfter(status, "VmRSS:"), 1.0 / 1024);
  s.swap_mb = Scaled(NumberAfter(status, "VmSwap:"), 1.0 / 1024);
  s.available_mb = Scaled(NumberAfter(meminfo, "MemAvailable:"), 1.0 / 1024);
  s.total_mb = Scaled(NumberAfter(meminfo, "MemTotal:"), 1.0 / 1024);
  s.load = FirstNumber(root + "/proc/loadavg");
  s.swapped = Swapped(root);
  s.oom_kills = Whole(NumberAfter(root + "/proc/vmstat", "oom_kill"));
  s.throttled_ms = ThrottledMs(root);
  s.hot_throttles = HotThrottles(root);
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    s.major_faults = usage.ru_majflt;
    s.preempted = usage.ru_nivcsw;
  }
  return s;
}

Json ToJson(const MachineSample& s) {
  Json json = Json::Object();
  SetIfKnown(json, "rss_mb", s.rss_mb);
  SetIfKnown(json, "swap_mb", s.swap_mb);
  SetIfKnown(json, "available_mb", s.available_mb);
  SetIfKnown(json, "load", s.load);
  SetIfKnown(json, "swapped_pages", s.swapped);
  SetIfKnown(json, "oom_kills", s.oom_kills);
  SetIfKnown(json, "throttled_ms", s.throttled_ms);
  SetIfKnown(json, "hot_throttles", s.hot_throttles);
  SetIfKnown(json, "major_faults", s.major_faults);
  SetIfKnown(json, "preempted", s.preempted);
  return json;
}

std::optional<MachineSample> MachineWatch::Look(std::int64_t now_ns) {
  if (last_.has_value() && now_ns - last_ns_ < kLeastNanos) return std::nullopt;
  const MachineSample now = ReadMachine(root_);
  complaints_.clear();
  Compare(now, last_.has_value() ? 1e-9 * (now_ns - last_ns_) : 0);
  last_ = now;
  last_ns_ = now_ns;
  return now;
}

void MachineWatch::Compare(const MachineSample& now, double seconds) {
  constexpr double kLowMemory = 0.03;     // of the machine's
  constexpr double kThrottled = 0.05;     // of the time
  constexpr std::int64_t kSwapped = 256;  // pages: a MiB
  const bool low = now.available_mb.has_value() && now.total_mb.has_value() &&
                   *now.available_mb < kLowMemory * *now.total_mb;
  const bool was_low = last_.has_value() && last_->available_mb.has_value() &&
                       last_->total_mb.has_value() &&
                       *last_->available_mb < kLowMemory * *last_->total_mb;
  if (low && !was_low) {
    complaints_.push_back(Cat("only ",
                              NumberText(*now.available_mb),
                              " MB of memory are left of ",
                              NumberText(*now.total_mb)));
  }
  if (!last_.has_value()) return;
  const std::string during = Cat(" in ", NumberText(seconds), " s");
  const std::int64_t swapped = Rise(last_->swapped, now.swapped);
  if (swapped >= kSwapped) {
    complaints_.push_back(
        Cat("the machine swapped ", swapped, " pages in or out", during));
  }
  const std::int64_t killed = Rise(last_->oom_kills, now.oom_kills);
  if (killed > 0) {
    complaints_.push_back(
        Cat("the kernel killed ", killed, " process(es) for memory", during));
  }
  const double throttled = Rise(last_->throttled_ms, now.throttled_ms);
  if (throttled > kThrottled * 1e3 * seconds) {
    complaints_.push_back(
        Cat("the CPU limit of the control group held it up "
            "for ",
            NumberText(throttled),
            " ms",
            during));
  }
  const std::int64_t hot = Rise(last_->hot_throttles, now.hot_throttles);
  if (hot > 0) {
    complaints_.push_back(Cat(
        "the processor was too hot and slowed down ", hot, " time(s)", during));
  }
}

}  // namespace gyre::internal::inline monitor

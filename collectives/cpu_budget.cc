#include "collectives/cpu_budget.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace gyre {
namespace {

constexpr std::int64_t kSpinNs = 20'000;

// The quota of the cgroup that this process is in, version 2.
std::optional<double> CgroupQuota() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    std::ifstream file("/sys/fs/cgroup" + line.substr(3) + "/cpu.max");
    std::string text;
    if (std::getline(file, text)) return QuotaFromCpuMax(text);
  }
  return std::nullopt;
}

int AffinityCpus() {
  // Machines with more processors than a cpu_set_t holds make this fail.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return CPU_SETSIZE;
  return CPU_COUNT(&set);
}

}  // namespace

std::optional<double> QuotaFromCpuMax(std::string_view text) {
  std::istringstream in{std::string(text)};
  double quota = 0;
  double period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) {
    return std::nullopt;
  }
  return quota / period;
}

int AllowedCpus() {
  int cpus = AffinityCpus();
  if (const auto quota = CgroupQuota(); quota.has_value()) {
    cpus = std::min(cpus, static_cast<int>(std::floor(*quota)));
  }
  return std::max(cpus, 1);
}

WaitPolicy PolicyFor(int local_ranks, double deadline_s) {
  WaitPolicy policy;
  policy.deadline_ns = static_cast<std::int64_t>(deadline_s * 1e9);
  policy.spin_ns = local_ranks <= AllowedCpus() ? kSpinNs : 0;
  return policy;
}

}  // namespace gyre

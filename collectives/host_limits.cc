#include "gyre/collectives/host_limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace gyre::internal::inline collectives {
namespace {

constexpr std::int64_t kSpinNs = 20'000;

// The folder of the cgroup that this process is in, version 2.
std::optional<std::string> CgroupFolder() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) == 0) return "/sys/fs/cgroup" + line.substr(3);
  }
  return std::nullopt;
}

std::optional<double> CgroupQuota() {
  const auto folder = CgroupFolder();
  if (!folder.has_value()) return std::nullopt;
  std::ifstream file(*folder + "/cpu.max");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  return QuotaFromCpuMax(text);
}

// The number that stands alone in a file, if it does.
std::optional<std::uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// What is left below the limit of the cgroup.
std::uint64_t CgroupMemory() {
  constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto folder = CgroupFolder();
  if (!folder.has_value()) return kNoLimit;
  const auto limit = ReadNumber(*folder + "/memory.max");
  const auto used = ReadNumber(*folder + "/memory.current");
  if (!limit.has_value() || !used.has_value()) return kNoLimit;
  return *limit > *used ? *limit - *used : 0;
}

// Of the process; 0 is this one.
int AffinityCpus(pid_t process) {
  // Machines with more processors than a cpu_set_t holds make this fail.
  cpu_set_t set;
  if (sched_getaffinity(process, sizeof set, &set) != 0) return 0;
  return CPU_COUNT(&set);
}

int WithinQuota(int cpus) {
  if (const auto quota = CgroupQuota(); quota.has_value()) {
    cpus = std::min(cpus, static_cast<int>(std::floor(*quota)));
  }
  return std::max(cpus, 1);
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
  const int own = AffinityCpus(0);
  return WithinQuota(own > 0 ? own : CPU_SETSIZE);
}

int HostCpus() {
  const int own = AffinityCpus(0);
  return WithinQuota(own > 0 ? std::max(own, AffinityCpus(::getppid()))
                             : CPU_SETSIZE);
}

std::uint64_t AvailableMemory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    if (words >> name >> kib && name == "MemAvailable:") {
      available = kib * 1024;
    }
  }
  return std::min(available, CgroupMemory());
}

Status CheckMemory(std::size_t bytes) {
  const std::uint64_t available = AvailableMemory();
  if (bytes <= available) return OkStatus();
  return ConfigError(bytes,
                     " bytes are needed, ",
                     available,
                     " are "
                     "available; use fewer ranks, a smaller model, or a "
                     "larger machine");
}

WaitPolicy PolicyFor(int local_ranks, double deadline_s) {
  WaitPolicy policy;
  policy.deadline_ns = static_cast<std::int64_t>(deadline_s * 1e9);
  policy.spin_ns = local_ranks <= HostCpus() ? kSpinNs : 0;
  return policy;
}

std::size_t SmallBytesFor(int local_ranks) {
  return std::size_t{local_ranks <= HostCpus() ? 2u : 16u} << 10;
}

}  // namespace gyre::internal::inline collectives

#include "apps/gyre/launch/binding.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <tuple>

namespace gyre::internal::inline apps {
namespace {

int ReadTopology(int processor, const char* name, int otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                     "/topology/" + name);
  int value = 0;
  return file >> value ? value : otherwise;
}

// The processors of each core, cores of a package side by side.
std::vector<std::vector<int>> Cores(std::vector<Processor> all) {
  const auto place = [](const Processor& p) {
    return std::tuple(p.package, p.core, p.number);
  };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return place(a) < place(b);
  });
  std::vector<std::vector<int>> cores;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same = i > 0 && all[i].package == all[i - 1].package &&
                      all[i].core == all[i - 1].core;
    if (!same) cores.emplace_back();
    cores.back().push_back(all[i].number);
  }
  return cores;
}

}  // namespace

std::vector<Share> Divide(std::vector<Processor> all, int ranks) {
  const std::vector<std::vector<int>> cores = Cores(std::move(all));
  if (cores.empty()) return {};
  const std::size_t each = std::max<std::size_t>(1, cores.size() / ranks);
  std::vector<Share> shares(ranks);
  for (int r = 0; r < ranks; ++r) {
    shares[r].cores = static_cast<int>(each);
    for (std::size_t k = 0; k < each; ++k) {
      const auto& core = cores[(r * each + k) % cores.size()];
      shares[r].processors.insert(
          shares[r].processors.end(), core.begin(), core.end());
    }
  }
  return shares;
}

std::vector<Processor> AllowedProcessors() {
  std::vector<Processor> all;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int n = 0; n < CPU_SETSIZE; ++n) {
    if (!CPU_ISSET(n, &set)) continue;
    all.push_back({n,
                   ReadTopology(n, "physical_package_id", 0),
                   ReadTopology(n, "core_id", n)});
  }
  return all;
}

}  // namespace gyre::internal::inline apps

#include "tests/bench/memory_peak.h"

#include <fstream>
#include <string>

namespace gyre::internal::inline tests::bench {

void ResetMemoryPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double MemoryPeak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

}  // namespace gyre::internal::inline tests::bench

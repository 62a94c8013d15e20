// Compiled for the plainest processor (core/CMakeLists.txt), and in plain C:
// nothing here may come from a header that our other sources compile with
// more instructions.

#include "gyre/core/cpu_check.h"

#include <string.h>
#include <unistd.h>

namespace {

#if defined(__x86_64__)
void Write(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

void Require(int there, const char* name) {
  if (there != 0) return;
  Write("error: this program was built for processors with ");
  Write(GYRE_MARCH);
  Write(" (AVX2 and FMA at least), and this one has no ");
  Write(name);
  Write(
      ": run it on another machine, or build Gyre here with "
      "-DGYRE_MARCH=native\n");
  _exit(2);  // as an error of configuration (core/exit_code.h)
}

// Before the constructors of other sources, which have no number.
__attribute__((constructor(101))) void CheckCpu() {
  __builtin_cpu_init();
  Require(__builtin_cpu_supports("avx2"), "AVX2");
  Require(__builtin_cpu_supports("fma"), "FMA");
  if (GYRE_NEEDS_AVX512) {
    Require(__builtin_cpu_supports("avx512f"), "AVX-512");
  }
}
#endif

}  // namespace

namespace gyre::internal::inline core {

void IncludeCpuCheck() {}

}  // namespace gyre::internal::inline core

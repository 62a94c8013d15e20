#include "gyre/autodiff/plan/jit_switch.h"

#include <cstdlib>
#include <string_view>

namespace gyre::internal::inline autodiff {

StatusOr<bool> JitSwitch() {
  const char* const value = std::getenv("GYRE_JIT");
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "1") return true;
  if (text == "0") return false;
  return ConfigError("the environment variable GYRE_JIT is 0 (interpret) or 1 ",
                     "(generate code where the machine can), got \"",
                     text,
                     "\"");
}

}  // namespace gyre::internal::inline autodiff

// Stands in for autodiff/exec/jit where asmjit is not installed.

#include "gyre/autodiff/exec/jit_code.h"

namespace gyre::internal::inline autodiff {

bool JitAvailable() { return false; }

std::unique_ptr<JitCode> CompileJit(const TileProgram&,
                                    const std::vector<char>&) {
  return nullptr;
}

}  // namespace gyre::internal::inline autodiff

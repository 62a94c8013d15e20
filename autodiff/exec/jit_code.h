// Machine code for an elementwise program: one loop over vectors of eight
// floats that holds all intermediate numbers in registers.
//
// The code is made by the templates of core/math_kernels.h, instantiated for
// a vector type whose operators emit instructions: the same operations in the
// same order as in the tile interpreter, so the same bits (a NaN is a NaN:
// which one is not defined by either).
//
// WARNING 1: without asmjit at build time, or AVX2 and FMA at run time,
// CompileJit gives nothing, and the interpreter does the work.

#ifndef GYRE_AUTODIFF_EXEC_JIT_CODE_H_
#define GYRE_AUTODIFF_EXEC_JIT_CODE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/autodiff/exec/tile_program.h"

namespace gyre::internal::inline autodiff {

// Owns executable memory.
class JitCode {
 public:
  static constexpr std::int64_t kLanes = 8;
  // in[i]: the first element of input i, or its only one if it is a scalar.
  // out[k]: the first element of output k. Whole vectors, one or more.
  using Function = void (*)(const void* const* in,
                            void* const* out,
                            std::int64_t vectors);

  virtual ~JitCode() = default;
  Function function() const { return function_; }

 protected:
  Function function_ = nullptr;
};

// Whether this build and this machine can generate code.
bool JitAvailable();

// `scalar`: by input, whether one number is read for all elements. Null if
// the program has a code or a type that code is not generated for: it computes
// in f32 on f32 and bool, without sin, cos, tan and pow.
std::unique_ptr<JitCode> CompileJit(const TileProgram& program,
                                    const std::vector<char>& scalar);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_JIT_CODE_H_

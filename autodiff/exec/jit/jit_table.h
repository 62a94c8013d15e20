// Which instructions a code becomes.

#ifndef GYRE_AUTODIFF_EXEC_JIT_JIT_TABLE_H_
#define GYRE_AUTODIFF_EXEC_JIT_JIT_TABLE_H_

#include "gyre/autodiff/exec/jit/jit_vector.h"
#include "gyre/autodiff/pointwise_code.h"

namespace gyre::internal::inline autodiff::jit {

// Emits code(a, b, c); operands beyond the arity are ignored.
using JitFunction = JitVector (*)(const JitVector& a,
                                  const JitVector& b,
                                  const JitVector& c);

// Null for kConstant and for codes that code is not generated for.
JitFunction FindJitFunction(Code code);

}  // namespace gyre::internal::inline autodiff::jit

#endif  // GYRE_AUTODIFF_EXEC_JIT_JIT_TABLE_H_

#include "gyre/autodiff/exec/jit/jit_table.h"

#include <array>

#include "gyre/autodiff/exec/tile_codes.h"
#include "gyre/core/math.h"

namespace gyre::internal::inline autodiff::jit {
namespace {

template <class Fn>
JitVector EmitUnary(const JitVector& a, const JitVector&, const JitVector&) {
  return Fn{}(a);
}
template <class Fn>
JitVector EmitBinary(const JitVector& a, const JitVector& b, const JitVector&) {
  return Fn{}(a, b);
}
template <class Fn>
JitVector EmitTernary(const JitVector& a,
                      const JitVector& b,
                      const JitVector& c) {
  return Fn{}(a, b, c);
}

#define GYRE_PICK_Jit(function) function
#define GYRE_PICK_NoJit(function) nullptr
#define GYRE_EMIT_UNARY(Code, name, Functor, Weight, Generated) \
  GYRE_PICK_##Generated(&EmitUnary<Functor>),
#define GYRE_EMIT_BINARY(Code, name, Functor, Weight, Generated) \
  GYRE_PICK_##Generated(&EmitBinary<Functor>),
#define GYRE_EMIT_TERNARY(Code, name, Functor, Weight, Generated) \
  GYRE_PICK_##Generated(&EmitTernary<Functor>),
constexpr std::array<JitFunction, kCodes> kFunctions = {
    nullptr,
    GYRE_UNARY_CODES(GYRE_EMIT_UNARY) GYRE_BINARY_CODES(GYRE_EMIT_BINARY)
        GYRE_TERNARY_CODES(GYRE_EMIT_TERNARY)};

}  // namespace

JitFunction FindJitFunction(Code code) {
  return kFunctions[static_cast<std::size_t>(code)];
}

}  // namespace gyre::internal::inline autodiff::jit

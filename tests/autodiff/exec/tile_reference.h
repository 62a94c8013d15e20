// The plain meaning of tile programs: one element at a time, no layout tricks.

#ifndef GYRE_TESTS_AUTODIFF_EXEC_TILE_REFERENCE_H_
#define GYRE_TESTS_AUTODIFF_EXEC_TILE_REFERENCE_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "gyre/autodiff/exec/tile_program.h"
#include "gyre/core/math.h"

namespace gyre::internal::inline tests {

// One operation on scalars, by the words of core/math.h.
#define GYRE_WORD_OF_ONE(Code_, name, Functor, Weight, Generated) \
  case Code::k##Code_:                                            \
    return math::name(a);
#define GYRE_WORD_OF_TWO(Code_, name, Functor, Weight, Generated) \
  case Code::k##Code_:                                            \
    return math::name(a, b);
template <class T>
T ReferenceCode(Code code, T a, T b, T c) {
  switch (code) {
    case Code::kConstant:
      return a;
    case Code::kNeg:
      return -a;
      GYRE_UNARY_WORDS(GYRE_WORD_OF_ONE)
      GYRE_BINARY_WORDS(GYRE_WORD_OF_TWO)
    case Code::kIsFinite:
      return std::isfinite(a);
    case Code::kNot:
      return !(a != 0);
    case Code::kAdd:
      return a + b;
    case Code::kSub:
      return a - b;
    case Code::kMul:
      return a * b;
    case Code::kDiv:
      return a / b;
    case Code::kMin:
      return math::min(a, b);
    case Code::kMax:
      return math::max(a, b);
    case Code::kLt:
      return a < b;
    case Code::kLe:
      return a <= b;
    case Code::kGt:
      return a > b;
    case Code::kGe:
      return a >= b;
    case Code::kEq:
      return a == b;
    case Code::kNe:
      return a != b;
    case Code::kAnd:
      return a != 0 && b != 0;
    case Code::kOr:
      return a != 0 || b != 0;
    case Code::kSelect:
      return a != 0 ? b : c;
    case Code::kFma:
      return std::fma(a, b, c);
  }
  return a;
}

#undef GYRE_WORD_OF_ONE
#undef GYRE_WORD_OF_TWO

// Element `flat` of every register. read(input, offset) gives the element of
// an input as the compute type.
template <class T>
std::vector<T> ReferenceElement(
    const TileProgram& program,
    std::int64_t flat,
    const std::function<T(int, std::int64_t)>& read) {
  std::vector<T> registers;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    std::int64_t rest = flat, offset = 0;
    for (int axis = program.extents.rank() - 1; axis >= 0; --axis) {
      offset += rest % program.extents[axis] * program.inputs[i].strides[axis];
      rest /= program.extents[axis];
    }
    registers.push_back(read(static_cast<int>(i), offset));
  }
  for (const TileInstruction& in : program.instructions) {
    if (in.code == Code::kConstant) {
      registers.push_back(static_cast<T>(in.imm));
    } else {
      registers.push_back(ReferenceCode<T>(
          in.code, registers[in.a], registers[in.b], registers[in.c]));
    }
  }
  return registers;
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_AUTODIFF_EXEC_TILE_REFERENCE_H_

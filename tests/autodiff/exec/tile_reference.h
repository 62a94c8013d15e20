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
template <class T>
T ReferenceCode(Code code, T a, T b, T c) {
  switch (code) {
    case Code::kConstant:
      return a;
    case Code::kNeg:
      return -a;
    case Code::kAbs:
      return math::abs(a);
    case Code::kExp:
      return math::exp(a);
    case Code::kExpm1:
      return math::expm1(a);
    case Code::kLog:
      return math::log(a);
    case Code::kLog1p:
      return math::log1p(a);
    case Code::kLog2:
      return math::log2(a);
    case Code::kSqrt:
      return math::sqrt(a);
    case Code::kRsqrt:
      return math::rsqrt(a);
    case Code::kSin:
      return math::sin(a);
    case Code::kCos:
      return math::cos(a);
    case Code::kTan:
      return math::tan(a);
    case Code::kAsin:
      return math::asin(a);
    case Code::kAcos:
      return math::acos(a);
    case Code::kAtan:
      return math::atan(a);
    case Code::kSinh:
      return math::sinh(a);
    case Code::kCosh:
      return math::cosh(a);
    case Code::kTanh:
      return math::tanh(a);
    case Code::kSigmoid:
      return math::sigmoid(a);
    case Code::kErf:
      return math::erf(a);
    case Code::kGelu:
      return math::gelu(a);
    case Code::kGeluTanh:
      return math::gelu_tanh(a);
    case Code::kSilu:
      return math::silu(a);
    case Code::kSoftplus:
      return math::softplus(a);
    case Code::kRelu:
      return math::relu(a);
    case Code::kSquare:
      return a * a;
    case Code::kReciprocal:
      return 1 / a;
    case Code::kFloor:
      return math::floor(a);
    case Code::kCeil:
      return math::ceil(a);
    case Code::kRound:
      return math::round(a);
    case Code::kSign:
      return math::sign(a);
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
    case Code::kPow:
      return math::pow(a, b);
    case Code::kMin:
      return math::min(a, b);
    case Code::kMax:
      return math::max(a, b);
    case Code::kAtan2:
      return math::atan2(a, b);
    case Code::kXlogy:
      return math::xlogy(a, b);
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

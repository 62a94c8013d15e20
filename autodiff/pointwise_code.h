// The elementwise operations, as data: what a tape records, a fused program
// (autodiff/exec/tile_program.h) runs, and a plan prints.
//
// Their meaning is that of the word of the same name in core/math.h.
// Comparisons and logic give 0 or 1 in the type they compute in; kAnd, kOr,
// kNot and kSelect take any number other than 0, NaN included, as true.

#ifndef GYRE_AUTODIFF_POINTWISE_CODE_H_
#define GYRE_AUTODIFF_POINTWISE_CODE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace gyre::internal::inline autodiff {

enum class Code : std::uint8_t {
  kConstant,  // the immediate
  // One operand.
  kNeg,
  kAbs,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kSigmoid,
  kErf,
  kGelu,
  kGeluTanh,
  kSilu,
  kSoftplus,
  kRelu,
  kSquare,
  kReciprocal,
  kFloor,
  kCeil,
  kRound,
  kSign,
  kIsFinite,  // 1 for a number, 0 for NaN and the infinities
  kNot,
  // Two operands.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMin,
  kMax,
  kAtan2,
  kXlogy,
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
  kAnd,
  kOr,
  // Three operands.
  kSelect,  // a ? b : c
  kFma,     // a * b + c, rounded once
};

inline constexpr int kCodes = static_cast<int>(Code::kFma) + 1;

// "exp", "add", "select", ...: as plans and messages show it.
std::string_view Name(Code code);
std::optional<Code> CodeFromName(std::string_view name);
inline std::ostream& operator<<(std::ostream& out, Code code) {
  return out << Name(code);
}

// The number of operands, 0 to 3.
constexpr int Arity(Code code) {
  if (code == Code::kConstant) return 0;
  if (code < Code::kAdd) return 1;
  return code < Code::kSelect ? 2 : 3;
}

// True of those whose result is 0 or 1.
constexpr bool IsPredicate(Code code) {
  return code == Code::kIsFinite || code == Code::kNot ||
         (code >= Code::kLt && code <= Code::kOr);
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_POINTWISE_CODE_H_

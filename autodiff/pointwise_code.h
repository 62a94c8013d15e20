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

#include "gyre/autodiff/pointwise_table.h"

namespace gyre::internal::inline autodiff {

#define GYRE_CODE(Code, name, Functor, Weight, Generated) k##Code,
enum class Code : std::uint8_t {
  kConstant,                   // the immediate
  GYRE_UNARY_CODES(GYRE_CODE)  // of one operand
  GYRE_BINARY_CODES(GYRE_CODE) GYRE_TERNARY_CODES(GYRE_CODE)
};
#undef GYRE_CODE

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

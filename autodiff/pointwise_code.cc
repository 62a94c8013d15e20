#include "gyre/autodiff/pointwise_code.h"

#include <array>

namespace gyre::internal::inline autodiff {
namespace {

// In the order of Code.
constexpr std::array<std::string_view, kCodes> kNames = {
    "constant", "neg",     "abs",       "exp",        "expm1",     "log",
    "log1p",    "log2",    "sqrt",      "rsqrt",      "sin",       "cos",
    "tan",      "asin",    "acos",      "atan",       "sinh",      "cosh",
    "tanh",     "sigmoid", "erf",       "gelu",       "gelu_tanh", "silu",
    "softplus", "relu",    "square",    "reciprocal", "floor",     "ceil",
    "round",    "sign",    "is_finite", "not",        "add",       "sub",
    "mul",      "div",     "pow",       "min",        "max",       "atan2",
    "xlogy",    "lt",      "le",        "gt",         "ge",        "eq",
    "ne",       "and",     "or",        "select",     "fma"};
static_assert(!kNames.back().empty(), "a Code without a name");

}  // namespace

std::string_view Name(Code code) {
  return kNames[static_cast<std::size_t>(code)];
}

std::optional<Code> CodeFromName(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

}  // namespace gyre::internal::inline autodiff

#include "gyre/autodiff/pointwise_code.h"

#include <array>

namespace gyre::internal::inline autodiff {
namespace {

#define GYRE_NAME(Code, name, Functor, Weight, Generated) #name,
constexpr std::array<std::string_view, kCodes> kNames = {
    "constant",
    GYRE_UNARY_CODES(GYRE_NAME) GYRE_BINARY_CODES(GYRE_NAME)
        GYRE_TERNARY_CODES(GYRE_NAME)};
#undef GYRE_NAME
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

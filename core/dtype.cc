#include "gyre/core/dtype.h"

#include <array>

namespace gyre {

using namespace internal;

namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "f32", "f64", "bf16", "f16", "i32", "i64", "u8", "bool"};

}  // namespace

std::string_view Name(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kNames.size() ? kNames[index] : "unknown dtype";
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace gyre

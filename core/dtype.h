// Element types of tensors and messages.

#ifndef GYRE_CORE_DTYPE_H_
#define GYRE_CORE_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <type_traits>

#include "gyre/core/half.h"

namespace gyre {

// kBool is stored as one byte, 0 or 1.
enum class DType : std::uint8_t {
  kF32,
  kF64,
  kBF16,
  kF16,
  kI32,
  kI64,
  kU8,
  kBool,
};

constexpr std::size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
      return 8;
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kBF16:
    case DType::kF16:
      return 2;
    case DType::kU8:
    case DType::kBool:
      return 1;
  }
  return 0;
}

constexpr bool IsFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 ||
         dtype == DType::kBF16 || dtype == DType::kF16;
}

// "f32", "bf16", ...: as messages, plans and records show it.
std::string_view Name(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);
inline std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << Name(dtype);
}

template <class T>
constexpr DType DTypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) {
    return DType::kF32;
  } else if constexpr (std::is_same_v<U, double>) {
    return DType::kF64;
  } else if constexpr (std::is_same_v<U, BFloat16>) {
    return DType::kBF16;
  } else if constexpr (std::is_same_v<U, Half>) {
    return DType::kF16;
  } else if constexpr (std::is_same_v<U, std::int32_t>) {
    return DType::kI32;
  } else if constexpr (std::is_same_v<U, std::int64_t>) {
    return DType::kI64;
  } else if constexpr (std::is_same_v<U, std::uint8_t>) {
    return DType::kU8;
  } else {
    static_assert(std::is_same_v<U, bool>, "not an element type of Gyre");
    return DType::kBool;
  }
}

}  // namespace gyre

#endif  // GYRE_CORE_DTYPE_H_

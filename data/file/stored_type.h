// The types that numbers have in files.

#ifndef GYRE_DATA_FILE_STORED_TYPE_H_
#define GYRE_DATA_FILE_STORED_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <type_traits>

namespace gyre::internal::inline data {

enum class StoredType {
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF32,
  kF64,
  kChar,   // text, one byte a character
  kOther,  // strings, enumerations, structures: nothing we compute with
};

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>) with the C++ type of a number; `otherwise()` for text and
// others.
template <class F, class Otherwise>
auto WithStoredType(StoredType type, const F& f, const Otherwise& otherwise) {
  switch (type) {
    case StoredType::kI8:
      return f(TypeTag<std::int8_t>());
    case StoredType::kU8:
      return f(TypeTag<std::uint8_t>());
    case StoredType::kI16:
      return f(TypeTag<std::int16_t>());
    case StoredType::kU16:
      return f(TypeTag<std::uint16_t>());
    case StoredType::kI32:
      return f(TypeTag<std::int32_t>());
    case StoredType::kU32:
      return f(TypeTag<std::uint32_t>());
    case StoredType::kI64:
      return f(TypeTag<std::int64_t>());
    case StoredType::kU64:
      return f(TypeTag<std::uint64_t>());
    case StoredType::kF32:
      return f(TypeTag<float>());
    case StoredType::kF64:
      return f(TypeTag<double>());
    default:
      return otherwise();
  }
}

// Bytes of an element; 0 for kOther.
constexpr std::size_t SizeOf(StoredType type) {
  switch (type) {
    case StoredType::kI8:
    case StoredType::kU8:
    case StoredType::kChar:
      return 1;
    case StoredType::kI16:
    case StoredType::kU16:
      return 2;
    case StoredType::kI32:
    case StoredType::kU32:
    case StoredType::kF32:
      return 4;
    case StoredType::kI64:
    case StoredType::kU64:
    case StoredType::kF64:
      return 8;
    case StoredType::kOther:
      return 0;
  }
  return 0;
}

constexpr bool IsNumber(StoredType type) {
  return type != StoredType::kChar && type != StoredType::kOther;
}
constexpr bool IsFloat(StoredType type) {
  return type == StoredType::kF32 || type == StoredType::kF64;
}

// The integer of the same size with, or without, a sign; others as they are.
constexpr StoredType WithSign(StoredType type, bool has_sign) {
  const int index = static_cast<int>(type);
  if (index > static_cast<int>(StoredType::kU64)) return type;
  return static_cast<StoredType>(index / 2 * 2 + (has_sign ? 0 : 1));
}

constexpr std::string_view Name(StoredType type) {
  constexpr std::string_view kNames[] = {"i8",
                                         "u8",
                                         "i16",
                                         "u16",
                                         "i32",
                                         "u32",
                                         "i64",
                                         "u64",
                                         "f32",
                                         "f64",
                                         "text",
                                         "a type of its own"};
  return kNames[static_cast<int>(type)];
}
inline std::ostream& operator<<(std::ostream& out, StoredType type) {
  return out << Name(type);
}

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_FILE_STORED_TYPE_H_

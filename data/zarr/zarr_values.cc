#include "gyre/data/zarr/zarr_values.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "gyre/data/file/packing.h"
#include "gyre/data/zarr/zarr_array.h"

namespace gyre::internal::inline data {
namespace {

template <class T>
std::vector<std::byte> BytesOf(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// "NaN", "-Infinity", "0x7fc00000"
std::optional<double> NumberInText(const std::string& text, StoredType type) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  std::uint64_t bits = 0;
  if (text.rfind("0x", 0) != 0) return std::nullopt;
  const auto [stop, error] =
      std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || stop != text.data() + text.size()) {
    return std::nullopt;
  }
  if (type == StoredType::kF32 && bits <= 0xffffffffu) {
    float value = 0;
    const auto low = static_cast<std::uint32_t>(bits);
    std::memcpy(&value, &low, sizeof value);
    return value;
  }
  if (type != StoredType::kF64) return std::nullopt;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The eight bytes that 12 characters of base64 stand for, as a double.
std::optional<double> DoubleInBase64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() != 12 || text.back() != '=') return std::nullopt;
  std::uint64_t bits = 0;  // 66 of them: the first ones leave at the top
  unsigned char bytes[9] = {};
  for (std::size_t i = 0; i < 12; i += 4) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const std::size_t digit = c == '=' ? 0 : kDigits.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      bytes[i / 4 * 3 + k] =
          static_cast<unsigned char>(group >> (16 - 8 * k) & 255);
    }
  }
  std::memcpy(&bits, bytes, sizeof bits);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void AddNumber(const Json& value, FileAttribute* attribute) {
  const StatusOr<double> number = value.AsDouble();
  if (number.ok()) attribute->numbers.push_back(*number);
  if (!value.is_int()) attribute->type = StoredType::kF64;
}

}  // namespace

StoredType TypeOfZarr2(const std::string& dtype, bool* big_endian) {
  constexpr std::pair<std::string_view, StoredType> kTypes[] = {
      {"f4", StoredType::kF32},
      {"f8", StoredType::kF64},
      {"i1", StoredType::kI8},
      {"i2", StoredType::kI16},
      {"i4", StoredType::kI32},
      {"i8", StoredType::kI64},
      {"u1", StoredType::kU8},
      {"u2", StoredType::kU16},
      {"u4", StoredType::kU32},
      {"u8", StoredType::kU64}};
  for (const auto& [code, type] : kTypes) {
    if (dtype.size() != 3 || dtype.substr(1) != code) continue;
    if (std::string_view("<>|").find(dtype[0]) == std::string_view::npos) {
      continue;
    }
    *big_endian = dtype[0] == '>';
    return type;
  }
  return StoredType::kOther;
}

StoredType TypeOfZarr3(const std::string& data_type) {
  constexpr std::pair<std::string_view, StoredType> kTypes[] = {
      {"float32", StoredType::kF32},
      {"float64", StoredType::kF64},
      {"int8", StoredType::kI8},
      {"int16", StoredType::kI16},
      {"int32", StoredType::kI32},
      {"int64", StoredType::kI64},
      {"uint8", StoredType::kU8},
      {"uint16", StoredType::kU16},
      {"uint32", StoredType::kU32},
      {"uint64", StoredType::kU64}};
  for (const auto& [name, type] : kTypes) {
    if (data_type == name) return type;
  }
  return StoredType::kOther;
}

StatusOr<std::vector<std::byte>> ZarrFill(const Json& fill, StoredType type) {
  if (fill.is_null()) return std::vector<std::byte>();
  std::optional<double> number;
  if (fill.is_number()) number = fill.AsDouble().value_or(0);
  if (fill.is_string()) number = NumberInText(*fill.AsString(), type);
  const auto store = [&](auto tag) -> std::vector<std::byte> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (fill.is_int()) return BytesOf<T>(fill.AsInt().value_or(0));
    }
    if (!number.has_value()) return {};
    const std::optional<T> stored = AsStored<T>(*number);
    return stored.has_value() ? BytesOf(*stored) : std::vector<std::byte>();
  };
  std::vector<std::byte> bytes =
      WithStoredType(type, store, [] { return std::vector<std::byte>(); });
  if (bytes.empty()) {
    return DataError("its fill_value ", fill.Dump(), " is none of type ", type);
  }
  return bytes;
}

FileAttribute NumberAttribute(const std::string& name,
                              const std::vector<double>& numbers,
                              StoredType type) {
  FileAttribute attribute;
  attribute.name = name;
  attribute.type = type;
  attribute.numbers = numbers;
  const bool exact = WithStoredType(
      type,
      [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (const double number : numbers) {
          const std::optional<T> stored = AsStored<T>(number);
          if (!stored.has_value()) return false;
          const std::vector<std::byte> bytes = BytesOf(*stored);
          attribute.raw.insert(attribute.raw.end(), bytes.begin(), bytes.end());
        }
        return true;
      },
      [] { return false; });
  if (exact || type == StoredType::kF64) return attribute;
  return NumberAttribute(name, numbers, StoredType::kF64);
}

std::vector<FileAttribute> ZarrAttributes(const Json& attributes) {
  std::vector<FileAttribute> result;
  for (const auto& [name, value] : attributes.members()) {
    FileAttribute attribute;
    attribute.name = name;
    attribute.type = StoredType::kI64;
    if (value.is_number()) AddNumber(value, &attribute);
    for (const Json& element : value.elements()) {
      if (element.is_number()) AddNumber(element, &attribute);
    }
    if (!attribute.numbers.empty()) {
      attribute = NumberAttribute(name, attribute.numbers, attribute.type);
    } else {
      attribute.type = StoredType::kChar;
      attribute.text = value.is_string() ? *value.AsString() : value.Dump();
    }
    result.push_back(std::move(attribute));
  }
  return result;
}

void GiveStoredTypes(VariableInfo* info) {
  for (FileAttribute& attribute : info->attributes) {
    bool compared = false;
    for (const char* name : {"_FillValue",
                             "missing_value",
                             "valid_min",
                             "valid_max",
                             "valid_range"}) {
      compared = compared || attribute.name == name;
    }
    if (!compared) continue;
    if (attribute.is_text() && attribute.name == "_FillValue" &&
        IsFloat(info->type)) {
      std::optional<double> number = DoubleInBase64(attribute.text);
      if (!number) number = NumberInText(attribute.text, info->type);
      if (number)
        attribute = NumberAttribute("_FillValue", {*number}, info->type);
      continue;
    }
    // A whole number beside integers; anything beside floats.
    if (attribute.type == StoredType::kI64 || IsFloat(info->type)) {
      attribute =
          NumberAttribute(attribute.name, attribute.numbers, info->type);
    }
  }
}

}  // namespace gyre::internal::inline data

// How the numbers of a variable are stored, read from its attributes. Internal
// to ReadMasked (data/file/masked.h).

#ifndef GYRE_DATA_FILE_PACKING_H_
#define GYRE_DATA_FILE_PACKING_H_

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

// What does not depend on the type of the numbers.
struct PackingRules {
  StoredType type = StoredType::kF32;  // as _Unsigned has it
  bool packed = false;
  double scale = 1;
  double offset = 0;
  std::vector<const FileAttribute*> fills;
  // Ends of the valid range; nullptr where there is none. A range has both in
  // one attribute.
  const FileAttribute* lowest = nullptr;
  const FileAttribute* highest = nullptr;
  bool range_is_unpacked = false;
};

// Errors name file, variable and attribute.
StatusOr<PackingRules> ReadPackingRules(const std::string& path,
                                        const VariableInfo& info);

// An attribute's number as a stored value. An integer type takes only what it
// holds exactly: a _FillValue of NaN on a short marks no value at all (and
// not 0, as libnetcdf's own conversion has it).
template <class T>
std::optional<T> AsStored(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr int kBits = std::numeric_limits<T>::digits;
    const double limit = std::ldexp(1.0, kBits);
    const double lowest = std::is_signed_v<T> ? -limit : 0.0;
    if (!(value >= lowest && value < limit) || value != std::trunc(value)) {
      return std::nullopt;
    }
    return static_cast<T>(value);
  }
}

// The same of element `i`, bit by bit where the types have one size and kind.
template <class T>
std::optional<T> AsStored(const FileAttribute& attribute,
                          StoredType type,
                          std::size_t i) {
  if (WithSign(attribute.type, true) == WithSign(type, true)) {
    T value;
    std::memcpy(&value, attribute.raw.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  return AsStored<T>(attribute.numbers[i]);
}

template <class T>
struct Packing {
  std::vector<T> fills;
  bool nan_is_declared = false;
  std::optional<T> lowest;  // in stored numbers
  std::optional<T> highest;
  double lowest_value = -std::numeric_limits<double>::infinity();
  double highest_value = std::numeric_limits<double>::infinity();
  double scale = 1;
  double offset = 0;
};

// An end of the range: in stored numbers, or as a value that lies so far out
// (up: +1, down: -1) that rounding masks none at the end.
template <class T>
void SetEnd(const PackingRules& rules,
            const FileAttribute& attribute,
            std::size_t i,
            double outward,
            std::optional<T>* stored,
            double* value) {
  constexpr double kSlack = 1e-9;
  const double number = attribute.numbers[i];
  if (!rules.range_is_unpacked) {
    *stored = AsStored<T>(attribute, rules.type, i);
    // What T cannot hold in stored numbers excludes nothing on that side.
    return;
  }
  *value = number + outward * kSlack * std::abs(number);
}

template <class T>
Packing<T> MakePacking(const PackingRules& rules, const VariableInfo& info) {
  Packing<T> packing;
  packing.scale = rules.scale;
  packing.offset = rules.offset;
  for (const FileAttribute* fill : rules.fills) {
    for (std::size_t i = 0; i < fill->numbers.size(); ++i) {
      const std::optional<T> stored = AsStored<T>(*fill, rules.type, i);
      if (!stored.has_value()) continue;
      packing.fills.push_back(*stored);
      if (*stored != *stored) packing.nan_is_declared = true;
    }
  }
  if (rules.fills.empty() && info.default_fill.size() == sizeof(T)) {
    T fill;
    std::memcpy(&fill, info.default_fill.data(), sizeof(T));
    packing.fills.push_back(fill);
  }
  if (rules.lowest != nullptr) {
    SetEnd(rules, *rules.lowest, 0, -1, &packing.lowest, &packing.lowest_value);
  }
  if (rules.highest != nullptr) {
    SetEnd(rules,
           *rules.highest,
           rules.highest->numbers.size() - 1,
           +1,
           &packing.highest,
           &packing.highest_value);
  }
  return packing;
}

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_FILE_PACKING_H_

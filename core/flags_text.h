// How flags and their values are shown. Internal to core/flags.

#ifndef GYRE_CORE_FLAGS_TEXT_H_
#define GYRE_CORE_FLAGS_TEXT_H_

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

// -n, --steps
inline std::string Dashed(std::string_view name) {
  return Cat(name.size() == 1 ? "-" : "--", name);
}

// The shortest digits that give a float back, 0.003 and not 0.00300000003.
template <class T>
std::string Shown(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else {
    char text[64];
    const auto result = std::to_chars(text, text + sizeof text, value);
    return std::string(text, result.ptr);
  }
}

inline std::string Joined(const std::vector<std::string>& words,
                          std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_FLAGS_TEXT_H_

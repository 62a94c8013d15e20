#include "apps/gyre/bench/byte_sizes.h"

#include <charconv>

namespace gyre::internal::inline apps {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 40;
constexpr std::string_view kUnits = "KMG";

Status NoSize(std::string_view text) {
  return ConfigError("\"", text, "\": sizes such as 4,4K,64M were expected");
}

StatusOr<std::size_t> ParseByteSize(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (error != std::errc() || value == 0 || value > kLargest ||
      unit.size() > 1) {
    return NoSize(text);
  }
  if (unit.empty()) return value;
  const std::size_t power = kUnits.find(unit[0]);
  if (power == std::string_view::npos) return NoSize(text);
  const int shift = 10 * (static_cast<int>(power) + 1);
  if (value > kLargest >> shift) return NoSize(text);
  return value << shift;
}

}  // namespace

StatusOr<std::vector<std::size_t>> ParseByteSizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  while (true) {
    const std::size_t comma = text.find(',');
    GYRE_ASSIGN_OR_RETURN(const std::size_t size,
                          ParseByteSize(text.substr(0, comma)));
    sizes.push_back(size);
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

std::string ByteSizeText(std::size_t bytes) {
  std::string unit;
  for (const char next : kUnits) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    unit = next;
  }
  return std::to_string(bytes) + unit;
}

}  // namespace gyre::internal::inline apps

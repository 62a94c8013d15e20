#include "gyre/monitor/spikes/lenient_number.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace gyre::internal::inline monitor {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

std::string_view TrimmedView(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// In lower case and without its sign.
std::optional<double> NotFinite(std::string_view word) {
  if (StartsWith(word, "nan") || StartsWith(word, "1.#q") ||
      StartsWith(word, "1.#ind") || StartsWith(word, "1.#snan")) {
    return kNan;
  }
  if (word == "inf" || word == "infinity" || StartsWith(word, "1.#inf")) {
    return kInf;
  }
  return std::nullopt;
}

bool IsAbsent(const std::string& word) {
  for (const char* absent : {"", "null", "none", "na", "n/a", "-", "--"}) {
    if (word == absent) return true;
  }
  return false;
}

bool WordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
         c == '#' || c == '+' || c == '-';
}

bool NeedsQuotes(std::string_view word) {
  if (word == "null" || word == "true" || word == "false") return false;
  const auto number = ParseLenientNumber(word);
  if (!number.ok() || !number->has_value()) return false;
  return **number != **number || std::abs(**number) == kInf;
}

}  // namespace

StatusOr<std::optional<double>> ParseLenientNumber(std::string_view text) {
  text = TrimmedView(text);
  const std::string lower = Lower(text);
  if (IsAbsent(lower)) return std::optional<double>();
  const bool sign = lower[0] == '-' || lower[0] == '+';
  const double factor = lower[0] == '-' ? -1 : 1;
  const std::string_view rest = std::string_view(lower).substr(sign ? 1 : 0);
  if (const auto special = NotFinite(rest)) {
    return std::optional<double>(factor * *special);
  }
  double value = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, value);
  const bool number = !rest.empty() && stop == end && rest[0] != '-';
  if (!number || error == std::errc::invalid_argument) {
    return DataError("\"", text.substr(0, 40), "\" is no number");
  }
  if (error == std::errc::result_out_of_range) {
    // Too large or too near to zero: the exponent's sign tells.
    const bool tiny = rest.find("e-") != std::string_view::npos;
    value = tiny ? 0 : kInf;
  }
  return std::optional<double>(factor * value);
}

std::string QuoteBareNumbers(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (in_string || !WordCharacter(c)) {
      if (c == '"') in_string = !in_string;
      out += c;
      ++i;
      if (in_string && c == '\\' && i < line.size()) out += line[i++];
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && WordCharacter(line[end])) ++end;
    const std::string_view word = line.substr(i, end - i);
    const char* quote = NeedsQuotes(word) ? "\"" : "";
    out.append(quote).append(word).append(quote);
    i = end;
  }
  return out;
}

}  // namespace gyre::internal::inline monitor

#include "gyre/collectives/launch/host_list.h"

#include <charconv>
#include <optional>

#include "gyre/collectives/launch_env.h"

namespace gyre::internal::inline collectives::launch {
namespace {

std::optional<int> Number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

// The parts of `text` between commas that are outside of brackets.
std::vector<std::string_view> Items(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  bool in_brackets = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') in_brackets = true;
    if (i < text.size() && text[i] == ']') in_brackets = false;
    if (i == text.size() || (text[i] == ',' && !in_brackets)) {
      items.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  return items;
}

// "01-03" as 01, 02, 03, and "7" as 7. Nothing for anything else.
std::optional<std::vector<std::string>> Range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last =
      dash == std::string_view::npos ? first : text.substr(dash + 1);
  const auto low = Number(first);
  const auto high = Number(last);
  if (!low || !high || *high < *low || *high - *low >= kMaxRanks) {
    return std::nullopt;
  }
  std::vector<std::string> numbers;
  for (int n = *low; n <= *high; ++n) {
    std::string digits = std::to_string(n);
    if (digits.size() < first.size()) {
      digits.insert(0, first.size() - digits.size(), '0');
    }
    numbers.push_back(std::move(digits));
  }
  return numbers;
}

// What stands between brackets: "1-3,7".
std::optional<std::vector<std::string>> Ranges(std::string_view text) {
  std::vector<std::string> all;
  for (const std::string_view item : Items(text)) {
    auto numbers = Range(item);
    if (!numbers || all.size() + numbers->size() > kMaxRanks) {
      return std::nullopt;
    }
    all.insert(all.end(), numbers->begin(), numbers->end());
  }
  return all;
}

// All names that one item means: every start with every continuation.
std::optional<std::vector<std::string>> Names(std::string_view item) {
  std::vector<std::string> names = {""};
  while (!item.empty()) {
    const std::size_t open = item.find_first_of("[]");
    for (std::string& name : names) name += item.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = item.find(']', open);
    if (item[open] == ']' || close == std::string_view::npos) {
      return std::nullopt;
    }
    const auto numbers = Ranges(item.substr(open + 1, close - open - 1));
    if (!numbers || names.size() * numbers->size() > kMaxRanks) {
      return std::nullopt;
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& number : *numbers)
        longer.push_back(name + number);
    }
    names = std::move(longer);
    item.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

StatusOr<std::vector<std::string>> ExpandHostList(std::string_view text) {
  std::vector<std::string> hosts;
  for (const std::string_view item : Items(text)) {
    const auto names = Names(item);
    if (item.empty() || !names || hosts.size() + names->size() > kMaxRanks) {
      return ConfigError("\"",
                         text,
                         "\": a list of hosts such as node[1-3,7]-ib was "
                         "expected");
    }
    hosts.insert(hosts.end(), names->begin(), names->end());
  }
  return hosts;
}

StatusOr<std::vector<int>> ExpandTaskCounts(std::string_view text) {
  std::vector<int> counts;
  for (const std::string_view item : Items(text)) {
    const std::size_t open = item.find("(x");
    const auto tasks = Number(item.substr(0, open));
    std::optional<int> times = 1;
    if (open != std::string_view::npos) {
      times = item.back() == ')'
                  ? Number(item.substr(open + 2, item.size() - open - 3))
                  : std::nullopt;
    }
    if (!tasks || !times || *tasks < 1 || *times < 1 ||
        counts.size() + *times > kMaxRanks) {
      return ConfigError(
          "\"", text, "\": tasks per node such as 2(x3),1 were expected");
    }
    counts.insert(counts.end(), *times, *tasks);
  }
  return counts;
}

}  // namespace gyre::internal::inline collectives::launch

#include "apps/gyre/launch/repeated_errors.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "gyre/collectives/describe.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {
namespace {

// A program that reports more errors than that has other troubles.
constexpr std::size_t kMostErrors = 64;
// Enough to know it again.
constexpr std::size_t kQuoted = 60;

}  // namespace

bool RepeatedErrors::IsRepeat(const RankSpan& ranks, std::string_view line) {
  constexpr std::string_view kStart = "error: rank ";
  if (line.substr(0, kStart.size()) != kStart) return false;
  line.remove_prefix(kStart.size());
  int rank = -1;
  const auto [stop, error_code] =
      std::from_chars(line.data(), line.data() + line.size(), rank);
  if (error_code != std::errc() || !ranks.Has(rank)) return false;
  std::string_view text = line.substr(stop - line.data());
  if (text.substr(0, 2) != ": ") return false;
  text.remove_prefix(2);
  const auto error =
      std::find_if(errors_.begin(), errors_.end(), [&](const Error& e) {
        return e.text == text;
      });
  if (error == errors_.end()) {
    if (errors_.size() < kMostErrors) {
      errors_.push_back({std::string(text), rank, {}});
    }
    return false;
  }
  if (error->first == rank) return false;
  error->others.push_back(rank);
  return true;
}

std::vector<std::string> RepeatedErrors::Summary() {
  std::vector<std::string> lines;
  for (Error& error : errors_) {
    if (error.others.empty()) continue;
    std::sort(error.others.begin(), error.others.end());
    error.others.erase(std::unique(error.others.begin(), error.others.end()),
                       error.others.end());
    const bool cut = error.text.size() > kQuoted;
    lines.push_back(Cat(RankList(error.others),
                        " gave the same error as rank ",
                        error.first,
                        ": ",
                        error.text.substr(0, kQuoted),
                        cut ? "..." : ""));
  }
  errors_.clear();
  return lines;
}

}  // namespace gyre::internal::inline apps

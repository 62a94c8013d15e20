#include "apps/gyre/launch/repeated_errors.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "collectives/describe.h"
#include "core/status.h"

namespace gyre {
namespace {

// A program that reports more errors than that has other troubles.
constexpr std::size_t kMostErrors = 64;
// Enough to know it again.
constexpr std::size_t kQuoted = 60;

}  // namespace

bool RepeatedErrors::IsRepeat(int rank, std::string_view line) {
  const std::string start = Cat("error: rank ", rank, ": ");
  if (line.substr(0, start.size()) != start) return false;
  const std::string_view text = line.substr(start.size());
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

}  // namespace gyre

#include "gyre/core/nearest_word.h"

#include <algorithm>

namespace gyre::internal::inline core {
namespace {

// Optimal string alignment distance (Damerau, Levenshtein).
std::size_t Edits(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> d((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) d[i * width] = i;
  for (std::size_t j = 0; j < width; ++j) d[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      std::size_t best = std::min({d[(i - 1) * width + j] + 1,
                                   d[i * width + j - 1] + 1,
                                   d[(i - 1) * width + j - 1] + !same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, d[(i - 2) * width + j - 2] + 1);
      }
      d[i * width + j] = best;
    }
  }
  return d.back();
}

}  // namespace

std::string NearestWord(std::string_view word,
                        const std::vector<std::string>& candidates) {
  std::string nearest;
  // A slip changes one letter in three at most.
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // Someone who writes --hid means --hidden, far as it is in edits.
    const bool prefix = word.size() >= 3 && std::string_view(candidate).substr(
                                                0, word.size()) == word;
    const std::size_t edits = prefix ? 1 : Edits(word, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace gyre::internal::inline core

#include "gyre/mesh/agreement.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/mesh/shared_outcome.h"

namespace gyre::internal::inline mesh {
namespace {

constexpr std::size_t kTextBytes = 400;
constexpr CallSite kSite = {.label = "comparing programs"};

struct Summary {
  std::uint64_t lines = 0;
  std::uint64_t hash = 0;

  friend bool operator==(const Summary&, const Summary&) = default;
};

std::vector<std::uint64_t> Hashes(std::span<const std::string> lines) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(lines.size());
  for (const std::string& line : lines) hashes.push_back(Hash64(line));
  return hashes;
}

template <class T>
StatusOr<std::vector<T>> GatherFromAll(std::span<const T> mine,
                                       Communicator& world) {
  std::vector<T> all(mine.size() * world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(
      mine.data(), all.data(), mine.size_bytes(), DType::kU8, kSite));
  return all;
}

// A place where some rank differs from rank 0.
struct Difference {
  std::size_t line = 0;
  int rank = 0;
};

// The first one. `table` has a row of `width` hashes for each rank.
Difference FindFirst(const std::vector<std::uint64_t>& table,
                     std::size_t width,
                     int ranks) {
  for (std::size_t line = 0; line < width; ++line) {
    for (int r = 1; r < ranks; ++r) {
      if (table[r * width + line] != table[line]) return {line, r};
    }
  }
  return {width, 0};
}

std::string Cut(const char* text) {
  std::string line(text, ::strnlen(text, kTextBytes));
  if (line.size() == kTextBytes) line += "...";
  return line;
}

}  // namespace

Status AgreeOnLines(std::span<const std::string> lines,
                    std::string_view what,
                    Communicator& world) {
  std::vector<std::uint64_t> hashes = Hashes(lines);
  const Summary mine = {
      lines.size(),
      Hash64(hashes.data(), hashes.size() * sizeof(std::uint64_t))};
  GYRE_ASSIGN_OR_RETURN(const std::vector<Summary> all,
                        GatherFromAll(std::span(&mine, 1), world));
  std::uint64_t longest = 0;
  for (const Summary& s : all) longest = std::max(longest, s.lines);
  if (std::all_of(all.begin(), all.end(), [&](const Summary& s) {
        return s == all[0];
      })) {
    return OkStatus();
  }

  // A list that has ended differs from any line; no text hashes to 0 but by
  // an accident that the summaries would have shown.
  hashes.resize(longest, 0);
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<std::uint64_t> table,
      GatherFromAll(std::span<const std::uint64_t>(hashes), world));
  const Difference first = FindFirst(table, longest, world.size());
  const std::string own =
      first.line < lines.size() ? lines[first.line] : "(nothing: it ends here)";
  std::vector<char> text(kTextBytes, '\0');
  std::memcpy(text.data(), own.data(), std::min(own.size(), kTextBytes));
  GYRE_ASSIGN_OR_RETURN(const std::vector<char> texts,
                        GatherFromAll(std::span<const char>(text), world));
  const Status differ =
      MismatchError("rank ",
                    first.rank,
                    " has another ",
                    what,
                    " than rank 0; they first differ in line ",
                    first.line + 1,
                    ":\n  rank 0: ",
                    Cut(texts.data()),
                    "\n  rank ",
                    first.rank,
                    ": ",
                    Cut(texts.data() + first.rank * kTextBytes),
                    "\nall ranks must run the same program with the same "
                    "options");
  return HeardByAll(differ, world);
}

}  // namespace gyre::internal::inline mesh

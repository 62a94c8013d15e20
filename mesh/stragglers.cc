#include "gyre/mesh/stragglers.h"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace gyre::internal::inline mesh {
namespace {

constexpr double kNotableShare = 0.05;
// Less is what a rank is late by that writes the records, or shares its core.
constexpr double kNotableMeanS = 1e-3;

}  // namespace

std::optional<LastArrival> FindLast(std::span<const ControlRecord> records) {
  if (records.size() < 2) return std::nullopt;
  const bool swapped = records[1].arrival_ns > records[0].arrival_ns;
  LastArrival last{swapped ? 1 : 0, 0};
  std::int64_t latest = records[swapped ? 1 : 0].arrival_ns;
  std::int64_t before = records[swapped ? 0 : 1].arrival_ns;
  for (std::size_t r = 2; r < records.size(); ++r) {
    const std::int64_t arrival = records[r].arrival_ns;
    if (arrival > latest) {
      before = latest;
      latest = arrival;
      last.rank = static_cast<int>(r);
    } else {
      before = std::max(before, arrival);
    }
  }
  last.behind_ns = latest - before;
  return last;
}

}  // namespace gyre::internal::inline mesh

namespace gyre {

using namespace internal;

std::string Describe(const Straggler& s) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "rank " << s.rank
      << " was last in " << s.times_last << " of " << s.collectives
      << " collectives, " << s.mean_s * 1e3
      << " ms behind the next on average, " << s.worst_s * 1e3
      << " ms at most: " << s.share * 100 << "% of the time";
  return std::move(out).str();
}

}  // namespace gyre

namespace gyre::internal::inline mesh {

void Stragglers::Add(std::span<const ControlRecord> records) {
  const auto last = FindLast(records);
  if (last.has_value()) Add(*last, records[last->rank].arrival_ns);
}

void Stragglers::Add(const LastArrival& last, std::int64_t arrival_ns) {
  if (last.rank < 0 || last.rank >= static_cast<int>(ranks_.size())) return;
  if (collectives_++ == 0) first_ns_ = arrival_ns - last.behind_ns;
  newest_ns_ = arrival_ns;
  Rank& rank = ranks_[last.rank];
  ++rank.times_last;
  rank.total_ns += last.behind_ns;
  rank.worst_ns = std::max(rank.worst_ns, last.behind_ns);
}

std::optional<Straggler> Stragglers::Worst() const {
  const auto worst = std::max_element(
      ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) {
        return a.total_ns < b.total_ns;
      });
  if (worst == ranks_.end() || newest_ns_ <= first_ns_) return std::nullopt;
  Straggler s;
  s.rank = static_cast<int>(worst - ranks_.begin());
  s.times_last = worst->times_last;
  s.collectives = collectives_;
  s.mean_s = 1e-9 * static_cast<double>(worst->total_ns) /
             static_cast<double>(std::max<std::int64_t>(worst->times_last, 1));
  s.worst_s = 1e-9 * static_cast<double>(worst->worst_ns);
  s.share = static_cast<double>(worst->total_ns) /
            static_cast<double>(newest_ns_ - first_ns_);
  const bool notable = 2 * s.times_last > s.collectives &&
                       s.share >= kNotableShare && s.mean_s >= kNotableMeanS;
  return notable ? std::optional<Straggler>(s) : std::nullopt;
}

}  // namespace gyre::internal::inline mesh

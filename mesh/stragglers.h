// Who comes late to collectives, how often, and what it costs: from the times
// of arrival that all ranks exchange anyway.
//
//   Stragglers stragglers(comm.size());
//   ... after each collective:
//   stragglers.Add(comm.records());
//   ... at the end:
//   if (const auto worst = stragglers.Worst()) LogInfo(Describe(*worst));
//
// The cost of a rank's lateness is what it comes after the last but one: the
// time that all others would not have waited without it. A rank's own waiting
// time would not tell: behind one late rank, all others wait alike.
//
// WARNING 1: arrivals are read off a clock of the host (NowNanos). Between
// ranks of several hosts they do not compare; use this within one.

#ifndef GYRE_MESH_STRAGGLERS_H_
#define GYRE_MESH_STRAGGLERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/mesh/control_record.h"

namespace gyre {

// The last of one collective.
struct LastArrival {
  int rank = 0;
  std::int64_t behind_ns = 0;  // the last but one
};

}  // namespace gyre

namespace gyre::internal::inline mesh {

// Nothing for fewer than two ranks. Of equally late ones, the first.
std::optional<LastArrival> FindLast(std::span<const ControlRecord> records);

}  // namespace gyre::internal::inline mesh

namespace gyre {

struct Straggler {
  int rank = 0;
  std::int64_t times_last = 0;
  std::int64_t collectives = 0;  // of all
  double mean_s = 0;             // behind the last but one, when it was last
  double worst_s = 0;
  double share = 0;  // of the time from the first collective to the newest
};

// "rank 2 was last in 93 of 100 collectives, 12.3 ms behind the next on
// average, 40.1 ms at most: 11.2% of the time"
std::string Describe(const Straggler& straggler);

}  // namespace gyre

namespace gyre::internal::inline mesh {

class Stragglers {
 public:
  explicit Stragglers(int ranks) : ranks_(ranks) {}

  void Add(std::span<const ControlRecord> records);
  // The same from what FindLast gave, of a collective at that time.
  void Add(const LastArrival& last, std::int64_t arrival_ns);

  // The rank that cost the others most, if it was last in more than half of
  // the collectives and cost at least 5% of the time.
  std::optional<Straggler> Worst() const;

 private:
  struct Rank {
    std::int64_t times_last = 0;
    std::int64_t total_ns = 0;
    std::int64_t worst_ns = 0;
  };
  std::vector<Rank> ranks_;
  std::int64_t collectives_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t newest_ns_ = 0;
};

}  // namespace gyre::internal::inline mesh

#endif  // GYRE_MESH_STRAGGLERS_H_

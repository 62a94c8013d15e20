// A rank that does not go on in a group, and how the others hear of it.
//
// The calls of a group have numbers. A rank whose call n cannot take place (its
// arguments cannot be, it has no memory, it has waited in vain) tells the other
// ranks, beside the payload. It sends nothing more, so no call from n on can
// come to an end on any rank: each of them is an error that says why.

#ifndef GYRE_COLLECTIVES_GROUP_FAILURE_H_
#define GYRE_COLLECTIVES_GROUP_FAILURE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gyre/collectives/describe.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct GroupFailure {
  int rank = 0;                // that fails, in the world
  std::uint64_t sequence = 0;  // of its first call that does not take place
  // It waited in vain. Those who wait for the same late rank have a deadline
  // of their own; only whoever waits for the one that left off must end.
  bool late = false;
  std::string why = {};
};

// False for errors that the other ranks find themselves: a disagreement, a
// rank that is lost.
bool IsOwnFailure(const Status& status);

// True when a wait must end for it. `needed`: the ranks of the world that are
// still waited for.
bool Concerns(const GroupFailure& failure,
              std::span<const int> needed,
              const Waiting& waiting);
Status FailedError(const GroupFailure& failure, const Waiting& waiting);

// All that a rank has heard, by group.
class GroupFailures {
 public:
  // The first of each rank counts.
  void Add(std::uint32_t group, const GroupFailure& failure);
  Status Check(std::uint32_t group,
               std::span<const int> needed,
               const Waiting& waiting) const;

 private:
  std::map<std::uint32_t, std::vector<GroupFailure>> failures_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GROUP_FAILURE_H_

// Ranks that do not hold the same numbers: how often that is looked for, and
// what was found (train/step/consistency.h).

#ifndef GYRE_TRAIN_STEP_DESYNC_H_
#define GYRE_TRAIN_STEP_DESYNC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre {

// How often. 0: never.
struct RankChecks {
  std::int64_t every = 1;          // parameters, buffers, counters, cursor
  std::int64_t states_every = 16;  // and the optimizer's states
  // The ids of the samples, in each step (train/step/sample_check.h). Off for a
  // source that draws with replacement, or names its samples in another way.
  bool samples = true;

  bool Due(std::int64_t step) const { return every > 0 && step % every == 0; }
  bool StatesDue(std::int64_t step) const {
    return states_every > 0 && step % states_every == 0;
  }
  Status Validate() const;
};

// What of the state differs between the ranks.
struct Desync {
  struct Difference {
    std::string name;                   // "params/hidden0.w", "counters"
    std::vector<int> ranks;             // in the minority; empty: cannot tell
    int holders = 0;                    // ranks that should hold the same
    std::vector<std::uint64_t> hashes;  // by rank
    std::int64_t equal_before = -1;     // the last check that found no fault
  };
  std::int64_t step = 0;  // before which it was found
  std::vector<Difference> differences;

  // "params/hidden0.w differs: ..."
  std::string Describe() const;
  Json ToJson() const;  // the fields of its event
};

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_DESYNC_H_

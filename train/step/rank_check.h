// Do all ranks hold the same numbers?
//
// Parameters, buffers, counters and the data cursor are hashed on every rank
// before each step, the optimizer's states too before every so manyth; the
// checksum travels with the reduction of the gradients, for nothing. Only when
// two differ do the ranks exchange a hash of every tensor, to name those that
// differ and the ranks that stand alone with theirs.
//
//   params/hidden0.w differs: rank 2 stands alone; equal on all ranks before
//   step 411
//
// A flipped bit, a kernel that rounds otherwise on one host or data in another
// order all end here. Nothing is repaired: which rank is right is a guess, so
// the run ends, and goes on from a checkpoint.
//
// WARNING 1: two ranks cannot tell which of them is wrong; nor can four, two
// against two.

#ifndef GYRE_TRAIN_STEP_RANK_CHECK_H_
#define GYRE_TRAIN_STEP_RANK_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline train {

struct StepState;

}  // namespace gyre::internal::inline train

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

}  // namespace gyre

namespace gyre::internal::inline train {

// What a rank knows of the checks so far. -1: none was made.
struct RankCheckState {
  std::uint64_t cursor = 0;        // hash of the samples to come
  std::uint64_t checksum = 0;      // of the step in progress
  std::int64_t equal_params = -1;  // the last step before which all were equal
  std::int64_t equal_states = -1;
};

}  // namespace gyre::internal::inline train

namespace gyre {

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

namespace gyre::internal::inline train {

// Hashes what the step in progress compares, into state.check.checksum and,
// of tensors that are cut over the ranks, state.part_hashes.
void PrepareCheck(StepState& state, bool params, bool states);

// Remembers that the checksums of the step in progress were equal.
void NoteEqual(StepState& state);

// One exchange of the hashes of all tensors. Collective; nothing: all equal.
StatusOr<std::optional<Desync>> FindDesync(const StepState& state);

// A check of everything, now: two hashes a rank, and the exchange of all only
// when they differ. Collective.
StatusOr<std::optional<Desync>> CheckRanks(StepState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_RANK_CHECK_H_

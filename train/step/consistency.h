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

#ifndef GYRE_TRAIN_STEP_CONSISTENCY_H_
#define GYRE_TRAIN_STEP_CONSISTENCY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/core/status.h"
#include "gyre/train/step/desync.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

class Consistency {
 public:
  Consistency(const TrainState& state, RankChecks checks)
      : state_(state), checks_(checks) {}

  // A hash of the samples to come, which must be the same on all ranks.
  void SetCursor(std::uint64_t hash) { cursor_ = hash; }

  // Hashes what the step in progress compares: a checksum of all that every
  // rank holds, 0 where nothing is due, and of this rank's parts.
  const StateHashes& Prepare();
  const StateHashes& prepared() const { return prepared_; }
  // Remembers that what was prepared was equal on all ranks.
  void NoteEqual();

  // One exchange of the hashes of all tensors. Collective; nothing: all equal.
  StatusOr<std::optional<Desync>> Find() const;
  // A check of everything, now: two hashes a rank, and the exchange of all
  // only when they differ. Collective.
  StatusOr<std::optional<Desync>> CheckNow();

 private:
  // One thing that is compared: its name, its hash here, and over which axes
  // it is cut.
  struct Compared {
    std::string name;
    AxisSet cut = 0;
    std::int64_t hash = 0;
    std::int64_t equal_before = -1;
  };
  void Hash(bool params, bool states);
  void HashOptimizerStates();
  std::vector<Compared> AllCompared() const;
  void AddDifferences(const Compared& compared,
                      const std::vector<std::uint64_t>& hashes,
                      Desync& desync) const;

  const TrainState& state_;
  const RankChecks checks_;
  StateHashes prepared_;
  std::uint64_t cursor_ = 0;
  // The last step before which all were equal; -1: none was compared.
  std::int64_t equal_params_ = -1;
  std::int64_t equal_states_ = -1;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_CONSISTENCY_H_

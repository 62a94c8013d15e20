// What ranks that hold different parts of the parameters tell each other: of a
// part of another rank nobody knows more than that.

#ifndef GYRE_TRAIN_STEP_PART_EXCHANGE_H_
#define GYRE_TRAIN_STEP_PART_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

// Hashes of what a rank holds: of what all ranks hold, and of its parts, by
// GradientSync::part_sets().
struct StateHashes {
  std::uint64_t common = 0;
  std::vector<std::uint64_t> parts;
};

// Of the current parameters and buffers.
StateHashes HashState(const TrainState& state);

// Each rank tells a hash for each set of axes that parameters are cut over,
// and a length for each set that something is spread over.
class PartExchange {
 public:
  // `spreads`: the sets of axes that a length belongs to.
  PartExchange(const TrainState& state, std::vector<AxisSet> spreads = {});

  // Collective. `lengths`: this rank's, by spread.
  Status Gather(std::span<const std::uint64_t> part_hashes,
                std::span<const double> lengths,
                const CallSite& site);

  // Whether ranks that hold the same part hold the same numbers.
  bool PartsEqual() const;
  // The hash of all parts, after `hash`.
  std::uint64_t HashAll(std::uint64_t hash) const;
  // Calls visit with one length of each part that is spread.
  void ForEachLength(const std::function<void(double)>& visit) const;

 private:
  // Calls visit(rank) for one holder of each part over `axes`: those that are
  // first on all other axes.
  template <class Visit>
  void ForEachHolder(AxisSet axes, const Visit& visit) const;
  std::int64_t Hash(int rank, std::size_t k) const {
    return all_[rank * each_ + k];
  }

  const Mesh& mesh_;
  const std::span<const AxisSet> parts_;
  const std::vector<AxisSet> spreads_;
  std::vector<std::int64_t> all_;  // by rank
  std::size_t each_ = 0;
};

// Whether all ranks hold the same, and one hash of all of it, which is the
// same number on every rank.
struct StateHash {
  bool equal = true;
  std::uint64_t hash = 0;
};

// Of the current parameters and buffers. Collective.
StatusOr<StateHash> GatherStateHash(const TrainState& state);

// Whether what this rank has hashed is the same on all ranks that hold it.
// Collective.
StatusOr<bool> HashesEqual(const TrainState& state, const StateHashes& hashes);

// Every rank told this hash.
bool AllTold(std::span<const ControlRecord> records, std::uint64_t hash);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_PART_EXCHANGE_H_

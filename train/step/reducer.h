// How the gradients of all ranks become one: chosen when a step is compiled.
//
//   reducer.cc          where they lie, over all ranks or over groups of them
//   reduce_buckets.h    in buckets, while the backward pass still runs
//   reduce_shards.h     to each rank a part, of which it updates the states
//
// What the ranks have to tell each other travels with the gradients, and comes
// back with the sum.

#ifndef GYRE_TRAIN_STEP_REDUCER_H_
#define GYRE_TRAIN_STEP_REDUCER_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/update.h"
#include "gyre/train/step/train_spec.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

class BucketReducer;

// What a rank tells all others with its gradients.
struct ReduceInput {
  Note note;
  std::span<const std::uint64_t> part_hashes = {};  // StateHashes::parts
  // The norm of the sum, where this rank knows it without looking once more.
  std::optional<double> norm = {};
};

// What a reduction has learnt; until the next one.
struct ReducedGradient {
  std::span<const ControlRecord> records;  // of all ranks: their notes
  double norm = 0;          // of the reduced gradient, equal on all ranks
  bool parts_equal = true;  // ranks that hold the same part told one hash
};

class Reducer {
 public:
  // `grads`: the flat gradient, in the communicator's memory, and `state` stay
  // where they are. Collective where it makes a communicator of its own.
  static StatusOr<std::unique_ptr<Reducer>> Create(const TrainSpec& spec,
                                                   const TrainState& state,
                                                   float* grads);
  virtual ~Reducer() = default;

  // Adds the gradients where they lie. Collective.
  virtual StatusOr<ReducedGradient> Reduce(const ReduceInput& input);

  // The optimizer's step from front to back, of what this rank has the sums
  // of; afterwards all ranks have all new parameters, and the same count of
  // those that are not finite. Collective where ranks hold parts.
  virtual StatusOr<optim::UpdateResult> Update(double grad_scale);

  // Not null: gradients are posted as they are made.
  virtual BucketReducer* buckets() { return nullptr; }

 protected:
  Reducer(const TrainState& state, float* grads)
      : state_(state), grads_(grads) {}

  // Adds range `i` of the state's sync over its ranks. The note of the input
  // goes with it.
  virtual Status AddRange(std::size_t i, const ReduceInput& input);
  // Elements [first, first + count) of range `i` that this rank has sums of.
  virtual StateWindow WindowOf(std::size_t i) const;
  // The axes over which ranks have different elements of the sum.
  virtual AxisSet SpreadOf(int tensor) const;

  // How the collective of range or bucket `i` is named.
  CallSite SiteOf(std::size_t i, const Note& note) const;
  optim::UpdateArgs UpdateOf(double grad_scale) const;
  // Makes what ranks that update different parts have found equal on all.
  Status AgreeOnUpdate(optim::UpdateResult& result) const;
  // Keeps what the ranks told: the next collective may overwrite it.
  ReducedGradient Keep(std::span<const ControlRecord> records, double norm);

  const TrainState& state_;
  float* const grads_;

 private:
  StatusOr<ReducedGradient> ExchangeParts(const ReduceInput& input);
  double LengthOver(AxisSet axes) const;

  std::vector<ControlRecord> records_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_REDUCER_H_

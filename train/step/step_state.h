// What the operations behind the backward pass share: parameters in two
// banks, the flat gradient, the guard's memory.
//
// The plan's last operations (train/step/step_ops.h) read and write it; the
// train step owns it and commits by choosing the bank.

#ifndef GYRE_TRAIN_STEP_STEP_STATE_H_
#define GYRE_TRAIN_STEP_STEP_STATE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/mesh/mesh.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/layout.h"
#include "gyre/optim/scan.h"
#include "gyre/train/faults/inject.h"
#include "gyre/train/step/gradient_sync.h"
#include "gyre/train/step/micro_batch.h"
#include "gyre/train/step/overlap.h"
#include "gyre/train/step/rank_check.h"
#include "gyre/train/step/state_shards.h"

namespace gyre::internal::inline monitor {
class FlightRecorder;
}  // namespace gyre::internal::inline monitor

namespace gyre::internal::inline train {

// Parameters and optimizer states, one flat array each, then the model's
// buffers.
class StateBank {
 public:
  // kept: elements of each state on this rank; < 0: all of its layout.
  StateBank(const optim::FlatLayout& layout,
            std::span<const optim::FlatLayout> states,
            const optim::FlatLayout& buffers,
            std::int64_t kept = -1);

  float* params() const { return arrays_[0]; }
  std::span<float* const> states() const {
    return std::span(arrays_).subspan(1);
  }
  std::span<float> buffers() const {
    return {arrays_[0] + elements_, buffer_elements_};
  }
  optim::ConstBank read() const { return {arrays_[0], const_states_}; }
  optim::Bank write() const { return {arrays_[0], states()}; }
  // All of it: parameters, then states, then buffers.
  std::span<const float> all() const {
    return {arrays_[0], elements_ + buffer_elements_};
  }

 private:
  AlignedBuffer memory_;
  std::size_t elements_;  // of parameters and states
  std::size_t buffer_elements_;
  std::vector<float*> arrays_;
  std::vector<const float*> const_states_;
};

// Whether all ranks hold the same, and one hash of all of it, which is the
// same number on every rank.
struct StateHash {
  bool equal = true;
  std::uint64_t hash = 0;
};

struct StepState {
  StepState(Mesh mesh,
            optim::FlatLayout layout,
            optim::FlatLayout buffers,
            std::vector<TensorMesh> tensors,
            optim::AnyOptimizer optimizer,
            std::shared_ptr<StepFaults> faults,
            float* grads,
            int micro_batches = 1,
            bool shard_states = false);

  // What all ranks told with the step's gradients, by rank.
  std::span<const ControlRecord> told() const {
    return overlap != nullptr && !overlap->handles.empty()
               ? overlap->handles.back().records()
               : mesh.world().records();
  }

  const StateBank& current() const { return banks[bank]; }
  const StateBank& next() const { return banks[1 - bank]; }

  const Mesh mesh;
  const optim::FlatLayout layout;
  const optim::FlatLayout buffers;
  const GradientSync sync;
  const StateShards shards;
  const optim::AnyOptimizer optimizer;
  const std::vector<optim::TensorTraits> traits;
  const std::vector<optim::FlatLayout> state_layouts;
  const std::shared_ptr<StepFaults> faults;
  float* const grads;  // flat, in the communicator's memory

  std::array<StateBank, 2> banks;
  int bank = 0;  // which one is current
  optim::GuardState guard;

  MicroBatches micro;
  std::unique_ptr<Overlap> overlap;  // null: added in one go
  AlignedBuffer staging;             // with shards: a window on its way

  // Of the step in progress.
  std::int64_t step = 0;
  float loss_scale = 1;  // bound to the plan
  // For a benchmark of what the guard costs, which alone can reach it.
  bool without_guard = false;
  optim::LocalFindings findings;
  optim::Verdict verdict;
  // Before the step: of the parameters and buffers that all ranks hold, and of
  // this rank's parts by GradientSync::part_sets().
  std::uint64_t params_hash = 0;
  std::vector<std::uint64_t> part_hashes;
  bool parts_equal = true;  // where ranks hold the same part
  // Of the reduced gradient, where it was not added in one piece: the sum of
  // its squares, or its largest magnitude.
  double gradient_size = 0;
  RankChecks checks;
  RankCheckState check;
  AxisSet batch_axes = 0;
  std::uint32_t samples_hash = 0;  // of this rank's; 0: it has no ids
  bool samples_right = true;       // as far as the hashes of all tell
  bool hashes_equal = true;        // on all ranks, before the step
  int stop_wanted = 0;      // the signal by which this rank was asked to stop
  int stop_agreed = 0;      // the same of any rank; all know it after the step
  bool end_wanted = false;  // an error of this rank is to end the run
  bool end_agreed = false;  // the same of any rank
  double reduce_s = 0;
  std::optional<LastArrival> before;  // to the last sum of the forward pass
  std::optional<LastArrival> last;    // to the reduction
  FlightRecorder* flight = nullptr;   // is told of the reduction, if there
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STEP_STATE_H_

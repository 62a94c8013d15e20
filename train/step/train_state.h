// The state of a training run: parameters, the optimizer's states and the
// model's buffers, twice, and what counts its steps.
//
// A step reads the front and writes the back. Commit makes the back the new
// front if the step's verdict applies, and leaves it where it is if not: a step
// that is skipped changes not one bit.

#ifndef GYRE_TRAIN_STEP_TRAIN_STATE_H_
#define GYRE_TRAIN_STEP_TRAIN_STATE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/mesh/mesh.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/layout.h"
#include "gyre/optim/update.h"
#include "gyre/train/step/gradient_sync.h"
#include "gyre/train/step/state_shards.h"

namespace gyre::internal::inline train {

// One flat array of the parameters and one of each of the optimizer's states,
// then the model's buffers, in one piece of memory.
class StateArrays {
 public:
  // kept: elements of each state on this rank; < 0: all of its layout.
  StateArrays(const optim::FlatLayout& layout,
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

// The state before step `next_step`.
struct StateView {
  const StateArrays& arrays;
  const optim::GuardState& guard;
  std::int64_t next_step = 0;
};

class TrainState {
 public:
  TrainState(Mesh mesh,
             optim::FlatLayout layout,
             optim::FlatLayout buffers,
             std::vector<TensorMesh> tensors,
             optim::AnyOptimizer optimizer,
             bool shard_states = false);

  const Mesh& mesh() const { return mesh_; }
  const optim::FlatLayout& layout() const { return layout_; }
  const optim::FlatLayout& buffer_layout() const { return buffers_; }
  std::span<const optim::FlatLayout> state_layouts() const {
    return state_layouts_;
  }
  const optim::AnyOptimizer& optimizer() const { return optimizer_; }
  std::span<const optim::TensorTraits> traits() const { return traits_; }
  // Multiplies the schedule's learning rate from here on; the same on all
  // ranks.
  void SetRateFactor(double factor);
  // Of the step that comes next.
  double LearningRate() const {
    return rate_factor_ * optimizer_.LearningRate(guard_.applied);
  }
  // What of each tensor of the layout this rank holds, and with whom its
  // gradient is added.
  const GradientSync& sync() const { return sync_; }
  // What this rank keeps of the optimizer's states.
  const StateShards& shards() const { return shards_; }

  const StateArrays& front() const { return arrays_[front_]; }
  const StateArrays& back() const { return arrays_[1 - front_]; }
  const optim::GuardState& guard() const { return guard_; }
  // The step that comes next, or is in progress.
  std::int64_t next_step() const { return next_step_; }
  // Now, and before the last step.
  StateView now() const { return {front(), guard_, next_step_}; }
  StateView before() const {
    return {applied_ ? back() : front(), guard_before_, next_step_ - 1};
  }

  // Ends a step, whose new values are in the back. Not ok when the run must
  // end: the guard's budget is spent, or its policy is to halt.
  Status Commit(const optim::Verdict& verdict);

  // Puts a saved state in place, `all` as StateArrays::all(). Ranks that are
  // given different ones are found by the next comparison.
  void Restore(std::span<const float> all,
               const optim::GuardState& guard,
               std::int64_t next_step);
  // How often that was done.
  int restores() const { return restores_; }

  // A copy of the current values. Error: no such name.
  StatusOr<Tensor> Parameter(std::string_view name) const;
  StatusOr<Tensor> Buffer(std::string_view name) const;
  bool ParamsFinite() const;

  // What was loaded: {"from", "changed", "carried"}
  // (train/checkpoint/checkpoint.h), until RunTraining has gone on from it;
  // null for a run that began anew.
  const Json& resumed() const { return resumed_; }
  void SetResumed(Json resumed) { resumed_ = std::move(resumed); }

 private:
  const Mesh mesh_;
  const optim::FlatLayout layout_;
  const optim::FlatLayout buffers_;
  const GradientSync sync_;
  const StateShards shards_;
  const optim::AnyOptimizer optimizer_;
  std::vector<optim::TensorTraits> traits_;
  double rate_factor_ = 1;
  const std::vector<optim::FlatLayout> state_layouts_;

  std::array<StateArrays, 2> arrays_;
  int front_ = 0;
  optim::GuardState guard_;
  std::int64_t next_step_ = 0;
  bool applied_ = false;            // the last step
  optim::GuardState guard_before_;  // it
  int restores_ = 0;
  Json resumed_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_TRAIN_STATE_H_

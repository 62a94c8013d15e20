// The compiled program of a training step: model, loss and gradients as one
// plan, bound to a state and to the batch that comes.
//
// The gradients are placed in one flat array, new values of the model's buffers
// in the back of the state; loss, prediction, denominators, reported terms and
// watched layers are results.

#ifndef GYRE_TRAIN_STEP_STEP_PROGRAM_H_
#define GYRE_TRAIN_STEP_STEP_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/exec/number_view.h"
#include "gyre/train/step/batch_check.h"
#include "gyre/train/step/denominators.h"
#include "gyre/train/step/probes.h"
#include "gyre/train/step/reported_terms.h"
#include "gyre/train/step/step_report.h"
#include "gyre/train/step/traced_program.h"
#include "gyre/train/step/train_spec.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline autodiff {
class CauseFinder;
}  // namespace gyre::internal::inline autodiff

namespace gyre::internal::inline train {

class BucketReducer;

// What a step was compiled with, for records.
struct TrainTraits {
  std::uint64_t seed = 0;
  DType compute = DType::kF32;
  KernelSet kernels = KernelSet::kFast;
  bool jit = true;
  int micro_batches = 1;
  RankChecks checks = {};
  AxisSet batch_axes = 0;
};

// What a masked mean divided by: how much of the batch was valid.
struct MaskSum {
  SourceLoc loc;
  double sum = 0;
};

// A layer whose product is a result of the plan.
struct WatchedResult {
  std::string layer;
  int result = 0;
};

// What the bad numbers of a step came from, on this rank.
struct CauseReport {
  std::optional<FirstCause> first;
  std::uint64_t gradient_hash = 0;  // of this rank's own, all micro-batches
};

class StepProgram final : private ReadyListener {
 public:
  // `grads`: where the flat gradient lies. `buckets`: null, or who is told of
  // gradients while the plan runs.
  static StatusOr<std::unique_ptr<StepProgram>> Compile(
      const TrainSpec& spec,
      std::unique_ptr<TracedProgram> traced,
      const TrainState& state,
      float* grads,
      BucketReducer* buckets);
  ~StepProgram();

  const Plan& plan() const { return executor_->plan(); }
  const TrainTraits& traits() const { return traits_; }
  // Of a whole batch, before it is cut.
  std::span<const BatchTensor> batch() const { return whole_batch_; }
  // Of one micro-batch.
  const Shape& prediction_shape() const;
  // Whether faults are made on purpose, and which.
  bool injects() const { return !faults().plan.empty(); }
  StepFaults& faults() const { return *traced_->faults; }

  Status CheckBatch(const SampleBatch& batch) const;

  // Reads the state's front from now on; the model's buffers from `buffers`,
  // if that is not null.
  void BindState(const TrainState& state, float* buffers);
  void set_loss_scale(float scale) { loss_scale_ = scale; }

  // Before the first micro-batch: what denominators of masked means are over
  // all of them.
  Status Begin(const SampleBatch& batch, std::int64_t step);
  // Model, loss and gradients of micro-batch `part`.
  Status Run(const SampleBatch& batch,
             int part,
             std::int64_t step,
             ReadyListener* listener);

  // Of the last run, that is of one micro-batch.
  float loss() const { return *executor_->Result<float>(loss_result_); }
  std::map<std::string, double> terms() const {
    return terms_.Values(*executor_);
  }
  Tensor prediction() const {
    return executor_->ResultTensor(prediction_result_);
  }
  std::vector<MaskSum> MaskSums() const;
  // Adds the lines of masked means that had nothing to average.
  void AddEmptyMasks(std::vector<SourceLoc>& lines) const;
  std::span<const ProbeNumbers> probes() const { return probes_.numbers(); }
  std::span<const WatchedResult> watched() const { return watched_; }
  NumberView ResultNumbers(int result) const;

  // Runs a step once more, operation by operation, with the state and the
  // batch that it had, and says what made its first bad number on this rank.
  // Collective, as the program may be.
  StatusOr<CauseReport> FindCause(const TrainState& state,
                                  const StateView& before,
                                  const SampleBatch& batch);

 private:
  StepProgram();
  // A probe, or a bucket of gradients, which is the listener's.
  Status Ready(int event, const KernelArgs& args) override;
  // Makes the new values of buffers land in the state's back.
  void PlaceBuffers(const TrainState& state, PlanOptions& options);
  StepContext ContextOf(int part, std::int64_t step) const;
  template <class Runner>
  void BindBatch(Runner& runner, const SampleBatch& batch, int part) const;
  template <class Runner>
  void BindFront(Runner& runner,
                 const TrainState& state,
                 float* params,
                 float* buffers) const;
  template <class Runner>
  void BindLossScale(Runner& runner);

  std::unique_ptr<TracedProgram> traced_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<CauseFinder> finder_;  // made when first needed
  TrainTraits traits_;
  std::vector<BatchTensor> whole_batch_;
  std::vector<int> param_inputs_;   // by tensor
  std::vector<int> buffer_inputs_;  // by buffer
  int next_buffers_input_ = -1;     // -1: the model has none
  float loss_scale_ = 1;

  int loss_result_ = 0;
  int prediction_result_ = 0;
  Denominators denominators_;
  ReportedTerms terms_;
  std::vector<WatchedResult> watched_;
  Probes probes_;
  std::int64_t probe_every_ = 0;
  ReadyListener* listener_ = nullptr;  // of the run in progress
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STEP_PROGRAM_H_

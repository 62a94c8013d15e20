// One training step, compiled once and replayed.
//
//   GYRE_ASSIGN_OR_RETURN(auto step, TrainStep::Compile(spec));
//   GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(samples));
//
// What it is compiled from: train/step/train_spec.h; what a step did:
// train/step/step_report.h. The batch is split over all ranks of the mesh;
// parameters are the same on all. Model and loss are called by Compile, and
// once more for the first evaluation.
//
// WARNING 1: the loss must not vary over the mesh: finish it with mean(),
// sum() or masked_mean() without axes, which run over the world.
// WARNING 2: after an error the step cannot go on; end the program.
// WARNING 3: model and loss are called once more for the first evaluation, and
// must not refer to what is gone by then.
// WARNING 4: within one step ranks load different samples, but for those that
// differ on axes alone that are no batch axes: they load the same. The ids in
// SampleBatch are compared (train/step/sample_check.h).

#ifndef GYRE_TRAIN_STEP_TRAIN_STEP_H_
#define GYRE_TRAIN_STEP_TRAIN_STEP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/mesh/mesh.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/evaluation.h"
#include "gyre/train/step/step_report.h"
#include "gyre/train/step/step_signals.h"
#include "gyre/train/step/train_spec.h"

namespace gyre::internal::inline train {
struct RunSession;  // train/run/run_session.h
struct StepParts;   // train/step/compile.h
class StepProgram;  // train/step/step_program.h
class TrainState;   // train/step/train_state.h

// What is left of the last step, until the next one.
struct LastStep {
  // Reduced, and before the clip; by TrainState::layout(). With shards, of this
  // rank's windows alone.
  std::span<const float> gradient = {};
  const optim::LocalFindings* findings = nullptr;  // of this rank's own
  const optim::LocalFindings* largest = nullptr;   // of its micro-batches
  std::vector<FaultHit> faults = {};
  // Of this rank's own, once FindCause has computed it again.
  std::optional<std::uint64_t> local_gradient_hash = {};
};
}  // namespace gyre::internal::inline train

namespace gyre {

class TrainStep {
 public:
  // Traces, compiles, allocates. Errors: the first mistake of the model or
  // the loss, with its line; a loss that varies; bad options.
  static StatusOr<std::unique_ptr<TrainStep>> Compile(const TrainSpec& spec);
  explicit TrainStep(internal::StepParts parts);  // of CompileParts
  ~TrainStep();

  // One step on this rank's part of a batch. A bad step is skipped (or what
  // the guard's policy says) and reported. Errors: a batch of another shape,
  // a peer that is lost, ranks that call different things.
  StatusOr<StepReport> Run(const SampleBatch& batch,
                           const internal::StepSignals& signals = {});

  // The loss of a batch with the current parameters, as the program that
  // evaluates has it (train/step/evaluation.h). Changes nothing. Collective.
  // Errors: of kind mismatch, the first time after a state was restored: the
  // ranks hold different ones; use_ema without TrackEma or before the first
  // applied step.
  StatusOr<EvalReport> Evaluate(const SampleBatch& batch,
                                const EvalOptions& options = {});

  // What the model makes of a batch, likewise. The batch may leave out what
  // the prediction does not depend on: targets, masks of the loss.
  StatusOr<Tensor> Predict(const SampleBatch& batch,
                           const EvalOptions& options = {});

  // What the model makes of samples 0 to `samples` - 1, in this order along
  // the first axis, on all ranks. `load` gives a rank's part of a batch, whose
  // last one is filled up with the last sample. Collective. Errors: of `load`,
  // on all ranks.
  StatusOr<Tensor> PredictAll(std::int64_t samples,
                              const LoadFunction& load,
                              const EvalOptions& options = {});

  // Runs the last step once more, operation by operation, with the parameters
  // and the batch that it had, and says what made its first bad number on
  // this rank. Nothing: loss, gradients and buffers of this rank are finite
  // before anything is reduced. Changes nothing. Collective: all ranks call
  // it after the same step, before the next one.
  StatusOr<std::optional<FirstCause>> FindCause(const SampleBatch& batch);

  // Whether all ranks hold the same, now: all that is checked, tensor by
  // tensor (train/step/consistency.h). Collective.
  StatusOr<std::optional<Desync>> CheckRanks();

  // The current values of a parameter, as a copy. Error: no such name.
  // (SetParameter and files of weights: train/checkpoint/weights.h.)
  StatusOr<Tensor> Parameter(std::string_view name) const;
  const Mesh& mesh() const;
  // The step that Run does next.
  std::int64_t next_step() const;

  // One, whatever the values do, and one more when it has first evaluated.
  int plans_compiled() const { return evaluation_ == nullptr ? 1 : 2; }

  // The compiled program, operation by operation, and how its steps end.
  std::string Explain() const;

  // What records, checkpoints and evidence read.
  const internal::StepProgram& program() const { return *program_; }
  const internal::TrainState& state() const { return *state_; }
  internal::TrainState& state() { return *state_; }
  const internal::LastStep& last() const { return last_; }
  // The run that goes on over several calls of RunTraining.
  std::shared_ptr<internal::RunSession>& run_session() { return run_session_; }

 private:
  // Forgets what was known of a state that another has replaced.
  void NoticeRestore();
  Status CheckSamples(const SampleBatch& batch) const;
  StepReport BeginReport();
  // Forward and backward passes, each inspected by the end of the step.
  Status RunMicroBatches(const SampleBatch& batch, StepReport& report);
  void BindState();
  StatusOr<EvalReport> RunEvaluation(const SampleBatch& batch,
                                     const EvalOptions& options,
                                     bool wants_loss);
  Status CheckRestored();
  // The parameters that an evaluation uses.
  StatusOr<const float*> EvaluatedParameters(const EvalOptions& options);

  const std::unique_ptr<internal::StepParts> parts_;
  internal::TrainState* const state_;  // of the parts, as these
  internal::StepProgram* const program_;
  internal::LastStep last_;
  int restores_ = 0;  // TrainState::restores(), as far as it was noticed
  bool states_compared_ = true;    // with those of other ranks, since then
  bool samples_compared_ = false;  // likewise
  std::unique_ptr<internal::Evaluation> evaluation_;  // made when first asked
  std::vector<float> ema_;  // of the current state; empty: not yet asked for
  std::shared_ptr<internal::RunSession> run_session_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_TRAIN_STEP_H_

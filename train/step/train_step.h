// One training step, compiled once and replayed.
//
//   const TrainSpec spec = {
//       .mesh = mesh,
//       .model = [](Params& p, const BatchVars& b) {
//         return Mlp{{64, 64, 1}}(p, b["x"]);
//       },
//       .loss = [](Var pred, const BatchVars& b) {
//         return mean(pointwise(Huber{0.5f}, pred, b["y"]));
//       },
//       .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
//                                 optim::Adam(1e-3)),
//       .example = samples,
//   };
//   GYRE_ASSIGN_OR_RETURN(auto step, TrainStep::Compile(spec));
//   GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(samples));
//
// The batch is split over all ranks of the mesh; parameters are the same on
// all. Model and loss are called here, and once more for the first evaluation.
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
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/cause.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/io/json.h"
#include "gyre/mesh/mesh.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/models/batch_vars.h"
#include "gyre/models/params.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/faults/fault.h"
#include "gyre/train/step/evaluation.h"
#include "gyre/train/step/micro_batch.h"
#include "gyre/train/step/rank_check.h"

namespace gyre::internal::inline autodiff {
class CauseFinder;
class Executor;
class NumberView;
class Plan;
struct PlanOptions;
}  // namespace gyre::internal::inline autodiff

namespace gyre::internal::inline monitor {
class FlightRecorder;
}  // namespace gyre::internal::inline monitor

namespace gyre::internal::inline train {
struct BatchTensor;
class Denominators;
class Evaluation;
class GradientSync;
class ReportedTerms;
class StateBank;
class StateShards;
struct StateHash;
struct StepState;
struct TracedProgram;
struct RunSession;  // train/run/run_session.h
}  // namespace gyre::internal::inline train

namespace gyre {

namespace internal::inline tests::bench {
struct GuardSwitch;  // tests/bench/guard_bench.cc
}  // namespace internal::inline tests::bench

using ModelFunction = std::function<Var(Params&, const BatchVars&)>;
using LossFunction = std::function<Var(Var pred, const BatchVars&)>;

struct TrainSpec {
  Mesh mesh;
  ModelFunction model;
  LossFunction loss;
  optim::AnyOptimizer optimizer;
  SampleBatch example;  // for its names, shapes and types
  // The mesh axes over which the batch is split; empty: all of them. Ranks
  // that differ on other axes alone get the same batch.
  std::vector<std::string> batch_axes = {};
  std::uint64_t seed = 0;  // of the parameters
  FaultPlan faults = {};   // else those of GYRE_INJECT (train/faults/fault.h)
  KernelSet kernels = KernelSet::kFast;
  // What layers multiply in: f32, bf16 or f16. Parameters, optimizer states,
  // reductions and the loss stay f32 (docs/precision.md). f16 needs
  // Guard::loss_scale. f64: the whole of model and loss, to find out whether
  // a bad number is one of rounding.
  DType compute = DType::kF32;
  // Learning rates of single tensors, as a factor on the schedule's: 0 holds a
  // tensor still. Not set: 1 for all.
  //   spec.lr_scale = [](const optim::TensorSlot& t) {
  //     return t.name.starts_with("encoder.") ? 0.1 : 1.0;
  //   };
  std::function<double(const optim::TensorSlot&)> lr_scale = {};
  // Parameters that training leaves as they are, by name: no gradient is
  // computed for them, they have no share in the norm, and neither decay nor
  // moments move them.
  //   spec.frozen = [](std::string_view name) {
  //     return name.starts_with("encoder.");
  //   };
  std::function<bool(std::string_view name)> frozen = {};
  // A batch is cut into so many parts along its first axis, and the gradient
  // is the mean over them: the memory of one, the step of all
  // (train/step/micro_batch.h).
  int micro_batches = 1;
  // Each rank keeps and updates a part of the optimizer's states, and ranks
  // exchange the new parameters: the same numbers in less memory
  // (train/step/state_shards.h). For chains without stages that need a whole
  // tensor.
  bool shard_states = false;
  // Gradients are added in buckets of so many bytes while the backward pass
  // still runs (train/step/overlap.h): for a batch that is split over all
  // ranks, one micro-batch and no policy that drops ranks. 0: in one go, behind
  // it. Not set: in buckets over a network; on one host, where adding keeps the
  // processor busy, in one go.
  std::optional<std::size_t> bucket_bytes = {};
  bool jit = true;  // generate loops (autodiff/plan/plan.h): the same bits
  // Keeps what the layers' products make until the step ends, so that their
  // sizes can be recorded (train/step/activations.h).
  bool watch_activations = false;
  RankChecks checks = {};  // of what must be equal (train/step/rank_check.h)
};

// What a step did. The host may branch on it; the plan cannot.
struct StepReport {
  std::int64_t step = 0;
  double loss = 0;
  std::map<std::string, double> terms = {};  // what report() named
  optim::Verdict verdict;                    // norm, clip, reasons, ranks
  bool applied = false;                      // the parameters changed
  double lr = 0;
  bool hashes_equal = true;  // what was checked, on all ranks, before the step
  std::optional<Desync> desync = {};  // what differs, where it is not
  int injected = 0;                   // faults made on purpose, on this rank
  std::vector<FaultHit> faults = {};  // the same on all ranks
  double loss_scale = 1;  // that the step's gradients were multiplied with
  // Of micro-batches, how many are in the gradient, and those with findings.
  int accepted_micro_batches = 1;
  std::vector<MicroFinding> micro = {};
  // Lines of masked means that had nothing to average, and so were 0.
  std::vector<SourceLoc> empty_masks = {};
  double seconds = 0;
  double reduce_seconds = 0;  // of it, reducing and waiting for others
  // Who came last to the reduction (mesh/stragglers.h); nothing alone.
  std::optional<LastArrival> last_arrival = {};
  // The signal by which some rank was asked to stop before the step; 0: none.
  // The same on all ranks.
  int stop_signal = 0;
  // Some rank has an error that the others do not know yet (RequestEnd). The
  // same on all ranks.
  bool end_asked = false;
  // Not ok when the run must end: the guard's budget is spent, or its policy
  // is to halt. Record the step, then return this.
  Status outcome = {};

  // Finite, and with a gradient norm of at most `max_norm`: for a log line.
  bool IsStable(double max_norm) const;
};

// The first bad number that this rank made in a step.
struct FirstCause {
  Cause cause;
  std::string reached;  // "the loss", "the gradient of dense.w"
  int micro_batch = 0;
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

// What a step was compiled with, for records.
struct TrainTraits {
  std::uint64_t seed = 0;
  DType compute = DType::kF32;
  KernelSet kernels = KernelSet::kFast;
  bool jit = true;
};

class TrainStep {
 public:
  ~TrainStep();

  // Traces, compiles, allocates. Errors: the first mistake of the model or
  // the loss, with its line; a loss that varies; bad options.
  static StatusOr<std::unique_ptr<TrainStep>> Compile(const TrainSpec& spec);

  // One step on this rank's part of a batch. A bad step is skipped (or what
  // the guard's policy says) and reported. Errors: a batch of another shape,
  // a peer that is lost, ranks that call different things.
  StatusOr<StepReport> Run(const SampleBatch& batch);

  // This rank was asked to stop, by `signal`: the next step tells all ranks.
  void RequestStop(int signal);
  // Whether this rank has an error, of its own work between steps, that is to
  // end the run: the next step tells all ranks that there is one.
  void RequestEnd(bool failed);

  // Who is told of the step's reductions (monitor/flight/flight_recorder.h);
  // null: nobody. It must outlive the steps.
  void set_flight(internal::FlightRecorder* flight);

  // The loss of a batch with the current parameters, as the program that
  // evaluates has it (train/step/evaluation.h). Changes nothing. Collective.
  // Errors: of kind mismatch, the first time after a Restore: the ranks hold
  // different states; use_ema without TrackEma or before the first applied
  // step.
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

  const internal::Plan& plan() const;
  const optim::FlatLayout& layout() const;
  std::span<const optim::FlatLayout> state_layouts() const;
  // What of each tensor of the layout this rank holds, and with whom its
  // gradient is added.
  const internal::GradientSync& sync() const;
  // What this rank keeps of the optimizer's states.
  const internal::StateShards& shards() const;
  // Of the last step, after the reduction and before the clip; by layout().
  // With shards, of this rank's windows alone.
  std::span<const float> gradient() const;
  const optim::FlatLayout& buffer_layout() const;
  const optim::AnyOptimizer& optimizer() const;
  const optim::GuardState& guard_state() const;
  const optim::LocalFindings& findings() const;
  // To read, between two steps: train/step/layer_numbers.h.
  const internal::StepState& state() const { return *state_; }
  std::span<const WatchedResult> watched() const { return watched_; }
  // Of the last step; with micro-batches, of the last one.
  internal::NumberView ResultNumbers(int result) const;
  std::vector<MaskSum> MaskSums() const;
  Tensor LastPrediction() const;
  const Mesh& mesh() const;
  // Whether faults are made on purpose.
  bool injects() const;
  int micro_batches() const;

  // How many plans this step has compiled: one, whatever the values do, and
  // one more when it has first evaluated.
  int plans_compiled() const { return plans_compiled_; }

  // The step that Run does next.
  std::int64_t next_step() const { return next_step_; }

  // The current parameter, as a copy. Error: no such name.
  StatusOr<Tensor> ParameterTensor(std::string_view name) const;
  // The same of a buffer (models/params.h).
  StatusOr<Tensor> BufferTensor(std::string_view name) const;
  // Of the parameters and buffers that all ranks hold.
  std::uint64_t ParamsHash() const;
  // Whether all ranks hold the same, and a hash of all parts. Collective.
  StatusOr<internal::StateHash> GatherStateHash() const;
  // Whether all ranks hold the same, now: all that is checked, tensor by
  // tensor (train/step/rank_check.h). Collective.
  StatusOr<std::optional<Desync>> CheckRanks();
  const RankChecks& checks() const;
  // A hash of the samples to come, which must be the same on all ranks.
  void SetCursor(std::uint64_t hash);
  bool ParamsFinite() const;

  // For checkpoints: the current bank, and all that counts steps.
  const internal::StateBank& bank() const;
  // For evidence (train/replay/capture.h): the same before the last step, its
  // reduced gradient, and this rank's own, once FindCause has computed it
  // again.
  const internal::StateBank& bank_before() const;
  const optim::GuardState& guard_before() const { return guard_before_; }
  std::uint64_t ReducedGradientHash() const;
  std::optional<std::uint64_t> LocalGradientHash() const {
    return local_gradient_hash_;
  }
  const TrainTraits& traits() const { return traits_; }
  // What was loaded: {"from", "changed", "carried"}
  // (train/checkpoint/checkpoint.h), until RunTraining has gone on from it;
  // null for a run that began anew.
  const Json& resumed() const { return resumed_; }
  void SetResumed(Json resumed) { resumed_ = std::move(resumed); }
  // Puts a saved state in place, on all ranks the same, which the next step or
  // Predict checks. `params_and_states` as StateBank::all().
  Status Restore(std::span<const float> params_and_states,
                 const optim::GuardState& guard,
                 std::int64_t next_step);
  // For train/run/loop.cc: the run that goes on over several calls.
  std::shared_ptr<internal::RunSession>& run_session() { return run_session_; }

 private:
  friend struct internal::bench::GuardSwitch;
  TrainStep();
  static StatusOr<std::unique_ptr<TrainStep>> CompileAsGiven(
      const TrainSpec& spec);
  Status CompilePlan(const internal::Tape& tape,
                     std::span<const Var> results,
                     const internal::PlanOptions& options);
  Status PrepareOverlap(const TrainSpec& spec);
  Status CheckBatch(const SampleBatch& batch) const;
  StatusOr<EvalReport> RunEvaluation(const SampleBatch& batch,
                                     const EvalOptions& options,
                                     bool wants_loss);
  // The parameters that an evaluation uses.
  StatusOr<const float*> EvaluatedParameters(const EvalOptions& options);
  Status CheckSamples(const SampleBatch& batch) const;
  Status CheckRestored();
  // What a runner (the executor, the cause finder) reads next: micro-batch
  // `part` of a batch; parameters and buffers.
  template <class Runner>
  void BindBatch(Runner& runner, const SampleBatch& batch, int part) const;
  template <class Runner>
  void BindState(Runner& runner, float* params, float* buffers) const;
  Status RunMicroBatches(const SampleBatch& batch, StepReport& report);
  // Makes the new values of buffers land in the bank that is committed.
  void PlaceBuffers(internal::Tape& tape,
                    const Params& params,
                    internal::PlanOptions& options);
  void WatchActivations(const internal::TracedProgram& program,
                        std::vector<Var>& results);
  void BindParameters();
  StatusOr<std::unique_ptr<internal::CauseFinder>> MakeFinder() const;
  void BindFinder(const internal::StateBank& before);

  std::shared_ptr<internal::StepState> state_;
  std::unique_ptr<internal::Executor> executor_;
  std::vector<int> param_inputs_;             // by tensor
  std::vector<int> buffer_inputs_;            // by buffer
  int next_buffers_input_ = -1;               // -1: the model has none
  std::vector<internal::BatchTensor> batch_;  // of one micro-batch, by input
  std::vector<internal::BatchTensor> whole_batch_;  // before it is cut
  std::unique_ptr<internal::Denominators> denominators_;
  std::unique_ptr<internal::ReportedTerms> terms_;
  std::vector<WatchedResult> watched_;  // results behind those
  std::int64_t next_step_ = 0;
  int plans_compiled_ = 0;
  TrainTraits traits_;
  bool last_applied_ = false;
  bool samples_compared_ = false;   // since the start, or a restore
  optim::GuardState guard_before_;  // the last step
  std::optional<std::uint64_t> local_gradient_hash_;
  std::vector<FaultHit> last_faults_;
  std::unique_ptr<internal::TracedProgram> program_;
  std::unique_ptr<internal::CauseFinder> finder_;  // made when first needed
  std::unique_ptr<const TrainSpec> spec_;  // without the example's numbers
  std::unique_ptr<internal::Evaluation> evaluation_;  // likewise
  std::vector<float> ema_;  // of the current state; empty: not yet asked for
  Json resumed_;
  bool restored_ = false;  // and not compared with the other ranks since
  std::shared_ptr<internal::RunSession> run_session_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_TRAIN_STEP_H_

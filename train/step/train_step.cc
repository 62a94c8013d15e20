#include "gyre/train/step/train_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/autodiff/exec/cause_finder.h"
#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/exec/number_view.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/clock.h"
#include "gyre/core/finite.h"
#include "gyre/core/hash.h"
#include "gyre/mesh/agreement.h"
#include "gyre/train/step/activations.h"
#include "gyre/train/step/batch_check.h"
#include "gyre/train/step/denominators.h"
#include "gyre/train/step/ema_parameters.h"
#include "gyre/train/step/evaluation.h"
#include "gyre/train/step/flip.h"
#include "gyre/train/step/loss_sums.h"
#include "gyre/train/step/micro_ops.h"
#include "gyre/train/step/parameter_layout.h"
#include "gyre/train/step/program_text.h"
#include "gyre/train/step/reported_terms.h"
#include "gyre/train/step/sample_check.h"
#include "gyre/train/step/step_ops.h"
#include "gyre/train/step/step_state.h"
#include "gyre/train/step/sync_ops.h"
#include "gyre/train/step/traced_program.h"

namespace gyre {

using namespace internal;

namespace {

template <class List>
void FillInitial(const List& list,
                 const optim::FlatLayout& layout,
                 float* flat) {
  for (int i = 0; i < layout.count(); ++i) {
    std::memcpy(flat + layout[i].offset,
                list[i].initial.raw(),
                list[i].initial.bytes());
  }
}

// The named tensor of a flat array; `what` names it in the error.
StatusOr<Tensor> CopyOut(const optim::FlatLayout& layout,
                         const float* flat,
                         std::string_view name,
                         std::string_view what) {
  const int i = layout.Find(name);
  if (i < 0) return ConfigError("the model has no ", what, " \"", name, "\"");
  Tensor copy(DType::kF32, layout[i].shape);
  std::memcpy(copy.raw(), flat + layout[i].offset, copy.bytes());
  return copy;
}

// A fault of the step is in its first micro-batch alone.
void EndOfActivationFaults(StepFaults& faults) {
  std::erase_if(faults.hits, [](const FaultHit& hit) {
    return hit.place == FaultPlace::kActivation;
  });
}

}  // namespace

TrainStep::TrainStep()
    : denominators_(std::make_unique<Denominators>()),
      terms_(std::make_unique<ReportedTerms>()) {}
TrainStep::~TrainStep() = default;

bool StepReport::IsStable(double max_norm) const {
  return verdict.clean() && IsFinite(loss) && verdict.norm <= max_norm;
}

StatusOr<std::unique_ptr<TrainStep>> TrainStep::CompileAsGiven(
    const TrainSpec& spec) {
  GYRE_RETURN_IF_ERROR(spec.optimizer.Validate());
  GYRE_RETURN_IF_ERROR(spec.checks.Validate());
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                        spec.faults.empty()
                            ? FaultPlan::Parse(spec.mesh.run_context().inject)
                            : StatusOr<FaultPlan>(spec.faults));
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<TracedProgram> traced,
                        TraceProgram(spec, faults));
  TracedProgram& program = *traced;
  // Before the first collective that depends on the program.
  GYRE_RETURN_IF_ERROR(AgreeOnLines(
      ProgramText(spec, program.tape), "program", spec.mesh.world()));
  GYRE_ASSIGN_OR_RETURN(optim::FlatLayout layout,
                        ParameterLayout(spec, program));
  GYRE_ASSIGN_OR_RETURN(optim::FlatLayout buffers, BufferLayout(program));
  GYRE_RETURN_IF_ERROR(faults.Check(layout, spec.mesh.size()));
  GYRE_RETURN_IF_ERROR(CheckFlips(faults, spec.optimizer, layout));
  GYRE_ASSIGN_OR_RETURN(
      const SharedBuffer grads,
      spec.mesh.world().Allocate(layout.bytes(), {.label = "gradients"}));
  std::unique_ptr<TrainStep> step(new TrainStep());
  step->state_ =
      std::make_shared<StepState>(spec.mesh,
                                  std::move(layout),
                                  std::move(buffers),
                                  program.tensors,
                                  spec.optimizer,
                                  program.faults,
                                  reinterpret_cast<float*>(grads.data),
                                  spec.micro_batches,
                                  spec.shard_states);
  const StateBank& first = step->state_->current();
  FillInitial(program.params.all(), step->layout(), first.params());
  FillInitial(
      program.params.buffers(), step->state_->buffers, first.buffers().data());

  const Var flat = program.tape.Input(
      "gradients", {{step->state_->layout.elements()}, DType::kF32, 0});
  GYRE_RETURN_IF_ERROR(step->PrepareOverlap(spec));
  RecordStepEnd(program.tape, step->state_, program.loss, program.grads);
  PlanOptions options{.kernels = spec.kernels, .jit = spec.jit};
  for (int i = 0; i < step->state_->layout.count(); ++i) {
    options.placements.push_back(
        {program.grads[i].id(),
         program.tape.value(flat.id()).input,
         step->state_->layout[i].offset * sizeof(float)});
  }
  step->PlaceBuffers(program.tape, program.params, options);
  std::vector<Var> results = {program.loss, program.prediction};
  step->denominators_->AddTo(program.tape, results);
  step->terms_->AddTo(program.tape, results);
  if (spec.watch_activations) step->WatchActivations(program, results);
  GYRE_RETURN_IF_ERROR(step->CompilePlan(program.tape, results, options));
  step->executor_->Bind(program.tape.value(flat.id()).input, grads.data);
  step->denominators_->Bind(*step->executor_);
  if (program.loss_scale.given()) {
    step->executor_->Bind(program.tape.value(program.loss_scale.id()).input,
                          &step->state_->loss_scale);
  }
  for (const Parameter& p : program.params.all()) {
    step->param_inputs_.push_back(program.tape.value(p.input.id()).input);
  }
  step->traits_ = {spec.seed, spec.compute, spec.kernels, spec.jit};
  step->batch_ = program.batch;
  step->whole_batch_ = program.batch;
  for (BatchTensor& tensor : step->whole_batch_) {
    tensor.spec.shape = spec.example.tensors.at(tensor.name).shape();
  }
  TrainSpec kept = spec;
  kept.example = {};
  step->spec_ = std::make_unique<const TrainSpec>(std::move(kept));
  program.params.DropInitialValues();
  step->program_ = std::move(traced);
  step->state_->checks = spec.checks;
  step->state_->batch_axes = program.batch_axes;
  program.tape.Close();
  step->BindParameters();
  return step;
}

Status TrainStep::PrepareOverlap(const TrainSpec& spec) {
  constexpr std::size_t kOverNetwork = std::size_t{4} << 20;
  const std::string_view backend = spec.mesh.world().backend();
  const bool one_host = backend == "shm" || backend == "local";
  const std::size_t bytes =
      spec.bucket_bytes.value_or(one_host ? 0 : kOverNetwork);
  const bool fits = state_->sync.in_one_piece() && !state_->shards.on() &&
                    !state_->micro.several() && spec.mesh.size() > 1 &&
                    !spec.optimizer.guard().MayDropRanks();
  if (bytes == 0 || !fits) return OkStatus();
  state_->overlap = std::make_unique<Overlap>();
  state_->overlap->buckets = CutIntoBuckets(state_->layout, bytes);
  GYRE_ASSIGN_OR_RETURN(
      state_->overlap->lane,
      Lane::Create(spec.mesh.world(), {.label = "gradients"}));
  return OkStatus();
}

Status TrainStep::CompilePlan(const Tape& tape,
                              std::span<const Var> results,
                              const PlanOptions& options) {
  GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, results, options));
  ++plans_compiled_;
  GYRE_ASSIGN_OR_RETURN(executor_, Executor::Create(std::move(plan)));
  return OkStatus();
}

void TrainStep::WatchActivations(const TracedProgram& program,
                                 std::vector<Var>& results) {
  for (const LayerProduct& a : FindActivations(program.tape, program.params)) {
    watched_.push_back({a.layer, static_cast<int>(results.size())});
    results.push_back(a.value);
  }
}

void TrainStep::PlaceBuffers(Tape& tape,
                             const Params& params,
                             PlanOptions& options) {
  const optim::FlatLayout& buffers = state_->buffers;
  if (buffers.count() == 0) return;
  const Var flat =
      tape.Input("next_buffers", {{buffers.elements()}, DType::kF32, 0});
  next_buffers_input_ = tape.value(flat.id()).input;
  for (int i = 0; i < buffers.count(); ++i) {
    const Buffer& buffer = params.buffers()[i];
    buffer_inputs_.push_back(tape.value(buffer.input.id()).input);
    options.placements.push_back({buffer.next.id(),
                                  next_buffers_input_,
                                  buffers[i].offset * sizeof(float)});
  }
}

template <class Runner>
void TrainStep::BindState(Runner& runner, float* params, float* buffers) const {
  for (int i = 0; i < layout().count(); ++i) {
    runner.Bind(param_inputs_[i], params + layout()[i].offset);
  }
  for (std::size_t i = 0; i < buffer_inputs_.size(); ++i) {
    runner.Bind(buffer_inputs_[i],
                buffers + state_->buffers[static_cast<int>(i)].offset);
  }
}

void TrainStep::BindParameters() {
  float* buffers = state_->micro.several()
                       ? reinterpret_cast<float*>(state_->micro.buffers.get())
                       : state_->current().buffers().data();
  BindState(*executor_, state_->current().params(), buffers);
  if (next_buffers_input_ >= 0) {
    executor_->Bind(next_buffers_input_, state_->next().buffers().data());
  }
}

std::uint64_t TrainStep::ParamsHash() const {
  HashState(*state_);
  return state_->params_hash;
}

StatusOr<std::optional<Desync>> TrainStep::CheckRanks() {
  state_->step = next_step_;
  return gyre::CheckRanks(*state_);
}

Status TrainStep::CheckBatch(const SampleBatch& batch) const {
  for (const BatchTensor& tensor : whole_batch_) {
    GYRE_RETURN_IF_ERROR(CheckTensor(tensor, batch));
  }
  return OkStatus();
}

template <class Runner>
void TrainStep::BindBatch(Runner& runner,
                          const SampleBatch& batch,
                          int part) const {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const Tensor& tensor = batch.tensors.at(batch_[i].name);
    const std::size_t offset = batch_[i].spec.bytes() * part;
    runner.Bind(static_cast<int>(i),
                const_cast<std::byte*>(tensor.raw()) + offset);
  }
}

// The loss of the step is the mean over the accepted ones, or over all where
// none was.
Status TrainStep::RunMicroBatches(const SampleBatch& batch,
                                  StepReport& report) {
  MicroBatches& micro = state_->micro;
  BeginMicroBatches(*state_);
  // A number of its own for the draws of each.
  const auto prepare = [&](int part) {
    BindBatch(*executor_, batch, part);
    return StepContext{&state_->mesh, next_step_ * micro.count + part};
  };
  GYRE_RETURN_IF_ERROR(denominators_->Pool(*executor_, micro.count, prepare));
  LossSums all, accepted;
  for (micro.index = 0; micro.index < micro.count; ++micro.index) {
    const int before = micro.accepted;
    GYRE_RETURN_IF_ERROR(executor_->Run(prepare(micro.index)));
    EndOfActivationFaults(*state_->faults);
    const double loss = *executor_->Result<float>(0);
    const LossSums::Terms terms = terms_->Values(*executor_);
    all.Add(loss, terms);
    if (micro.accepted > before) accepted.Add(loss, terms);
    for (std::size_t i = 0; i < denominators_->size(); ++i) {
      if (denominators_->Value(*executor_, i) == 0) {
        report.empty_masks.push_back(denominators_->loc(i));
      }
    }
  }
  micro.index = 0;
  // Without several there is none that could be left out.
  const bool some = micro.several() && micro.accepted > 0;
  report.loss = (some ? accepted : all).MeanLoss();
  report.terms = (some ? accepted : all).MeanTerms();
  if (!micro.several()) return OkStatus();
  report.accepted_micro_batches = micro.accepted;
  report.micro = micro.bad;
  return OkStatus();
}

Status TrainStep::CheckSamples(const SampleBatch& batch) const {
  return CompareSamples(
      state_->mesh, state_->batch_axes, batch.sample_ids, next_step_);
}

StatusOr<StepReport> TrainStep::Run(const SampleBatch& batch) {
  const Stopwatch watch;
  GYRE_RETURN_IF_ERROR(CheckBatch(batch));
  if (state_->checks.samples && !samples_compared_) {
    GYRE_RETURN_IF_ERROR(CheckSamples(batch));
    samples_compared_ = true;
  }
  state_->samples_hash =
      state_->checks.samples ? SamplesHash(batch.sample_ids) : 0;
  ema_.clear();
  StepReport report;
  report.step = next_step_;
  report.lr = optimizer().LearningRate(state_->guard.applied);
  report.loss_scale =
      state_->guard.loss_scale.Scale(optimizer().guard().loss_scale);
  state_->step = next_step_;
  state_->faults->Begin(next_step_, mesh().size());
  report.faults = state_->faults->hits;
  FlipBits(*state_);
  last_faults_ = report.faults;
  local_gradient_hash_.reset();
  state_->loss_scale = static_cast<float>(report.loss_scale);
  state_->mesh.world().SetActivity(next_step_, "forward and backward");
  // One that lives until the step is over, where there are faults in it.
  const SampleBatch spoiled = state_->faults->hits.empty()
                                  ? SampleBatch{}
                                  : WithDataFaults(batch, *state_->faults);
  GYRE_RETURN_IF_ERROR(
      RunMicroBatches(state_->faults->hits.empty() ? batch : spoiled, report));
  if (!state_->samples_right) GYRE_RETURN_IF_ERROR(CheckSamples(batch));
  if (!state_->hashes_equal) {
    GYRE_ASSIGN_OR_RETURN(report.desync, FindDesync(*state_));
  }
  state_->mesh.world().SetActivity(next_step_, "between steps");
  ++next_step_;
  report.verdict = state_->verdict;
  report.applied = state_->verdict.applies();
  last_applied_ = report.applied;
  report.hashes_equal = state_->hashes_equal;
  report.injected = state_->faults->injected;
  report.reduce_seconds = state_->reduce_s;
  report.last_arrival = state_->last;
  report.stop_signal = state_->stop_agreed;
  report.end_asked = state_->end_agreed;
  if (checks().Due(report.step)) restored_ = false;
  if (report.applied) {
    state_->bank = 1 - state_->bank;
    BindParameters();
  }
  guard_before_ = state_->guard;
  report.outcome = state_->guard.AfterStep(
      state_->verdict, optimizer().guard(), state_->layout);
  report.seconds = watch.Seconds();
  return report;
}

// A step would find ranks that differ; nothing in an evaluation would.
Status TrainStep::CheckRestored() {
  if (!restored_) return OkStatus();
  restored_ = false;
  if (mesh().size() == 1) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::optional<Desync> desync, CheckRanks());
  if (!desync.has_value()) return OkStatus();
  return MismatchError("after a restore the ranks hold different states: ",
                       desync->Describe(),
                       "; restore the same on all ranks");
}

StatusOr<const float*> TrainStep::EvaluatedParameters(
    const EvalOptions& options) {
  if (!options.use_ema) return bank().params();
  if (ema_.empty()) {
    GYRE_ASSIGN_OR_RETURN(ema_, MeanParameters(*state_, optimizer().Ema()));
  }
  return ema_.data();
}

StatusOr<EvalReport> TrainStep::RunEvaluation(const SampleBatch& batch,
                                              const EvalOptions& options,
                                              bool wants_loss) {
  GYRE_RETURN_IF_ERROR(CheckRestored());
  if (evaluation_ == nullptr) {
    GYRE_ASSIGN_OR_RETURN(
        evaluation_,
        Evaluation::Compile(*spec_, whole_batch_, layout(), buffer_layout()));
    ++plans_compiled_;
  }
  GYRE_ASSIGN_OR_RETURN(const float* const params,
                        EvaluatedParameters(options));
  return evaluation_->Run(
      batch, wants_loss, params, bank().buffers().data(), next_step_);
}

StatusOr<EvalReport> TrainStep::Evaluate(const SampleBatch& batch,
                                         const EvalOptions& options) {
  return RunEvaluation(batch, options, true);
}

StatusOr<Tensor> TrainStep::Predict(const SampleBatch& batch,
                                    const EvalOptions& options) {
  GYRE_RETURN_IF_ERROR(RunEvaluation(batch, options, false).status());
  return evaluation_->prediction();
}

StatusOr<std::unique_ptr<CauseFinder>> TrainStep::MakeFinder() const {
  return CauseFinder::Create(
      program_->tape, program_->MustBeFinite(), plan().options());
}

void TrainStep::BindFinder(const StateBank& before) {
  BindState(*finder_, before.params(), before.buffers().data());
  denominators_->Bind(*finder_);
  if (program_->loss_scale.given()) {
    finder_->Bind(program_->tape.value(program_->loss_scale.id()).input,
                  &state_->loss_scale);
  }
}

StatusOr<std::optional<FirstCause>> TrainStep::FindCause(
    const SampleBatch& batch) {
  GYRE_RETURN_IF_ERROR(CheckBatch(batch));
  if (finder_ == nullptr) {
    GYRE_ASSIGN_OR_RETURN(finder_, MakeFinder());
  }
  BindFinder(bank_before());
  // With the faults that were in it, for this run alone.
  StepFaults& faults = *state_->faults;
  const StepFaults kept = faults;
  faults.hits = last_faults_;
  const SampleBatch as_run =
      faults.hits.empty() ? batch : WithDataFaults(batch, faults);
  std::optional<FirstCause> first;
  std::uint64_t hash = 0;
  const int parts = state_->micro.count;
  for (int part = 0; part < parts; ++part) {
    BindBatch(*finder_, as_run, part);
    // All ranks run all parts: the program may talk.
    GYRE_ASSIGN_OR_RETURN(
        const std::optional<Cause> cause,
        finder_->Find({&state_->mesh, (next_step_ - 1) * parts + part}));
    EndOfActivationFaults(faults);
    // The loss is the result before the gradients.
    for (int i = 0; i < layout().count(); ++i) {
      hash = Hash64(finder_->Result<float>(i + 1),
                    layout()[i].size * sizeof(float),
                    hash);
    }
    if (!cause.has_value() || first.has_value()) continue;
    first = FirstCause{*cause, program_->NameOfResult(cause->result), part};
  }
  faults = kept;
  local_gradient_hash_ = hash;
  return first;
}

StatusOr<Tensor> TrainStep::ParameterTensor(std::string_view name) const {
  return CopyOut(layout(), bank().params(), name, "parameter");
}

StatusOr<Tensor> TrainStep::BufferTensor(std::string_view name) const {
  return CopyOut(state_->buffers, bank().buffers().data(), name, "buffer");
}

Status TrainStep::Restore(std::span<const float> params_and_states,
                          const optim::GuardState& guard,
                          std::int64_t next_step) {
  const std::span<const float> mine = bank().all();
  GYRE_CHECK(params_and_states.size() == mine.size());
  ema_.clear();
  std::copy(
      params_and_states.begin(), params_and_states.end(), bank().params());
  state_->guard = guard;
  next_step_ = next_step;
  samples_compared_ = false;
  restored_ = true;
  return OkStatus();
}

}  // namespace gyre

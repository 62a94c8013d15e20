#include "gyre/train/step/train_step.h"

#include <utility>

#include "gyre/core/clock.h"
#include "gyre/core/finite.h"
#include "gyre/train/step/compile.h"
#include "gyre/train/step/ema_parameters.h"
#include "gyre/train/step/flip.h"
#include "gyre/train/step/loss_sums.h"
#include "gyre/train/step/sample_check.h"

namespace gyre {

using namespace internal;

bool StepReport::IsStable(double max_norm) const {
  return verdict.clean() && IsFinite(loss) && verdict.norm <= max_norm;
}

TrainStep::TrainStep(StepParts parts)
    : parts_(std::make_unique<StepParts>(std::move(parts))),
      state_(parts_->state.get()),
      program_(parts_->program.get()) {
  const auto size = static_cast<std::size_t>(state_->layout().elements());
  last_.gradient = {parts_->grads, size};
  last_.findings = &parts_->end->findings();
  last_.largest = &parts_->end->largest();
  BindState();
}

TrainStep::~TrainStep() = default;

const Mesh& TrainStep::mesh() const { return state_->mesh(); }

std::int64_t TrainStep::next_step() const { return state_->next_step(); }

std::string TrainStep::Explain() const {
  return program_->plan().Explain() + parts_->end->Describe();
}

StatusOr<Tensor> TrainStep::Parameter(std::string_view name) const {
  return state_->Parameter(name);
}

void TrainStep::BindState() {
  program_->BindState(*state_, parts_->end->micro().buffers());
}

void TrainStep::NoticeRestore() {
  if (restores_ == state_->restores()) return;
  restores_ = state_->restores();
  ema_.clear();
  states_compared_ = false;
  samples_compared_ = false;
}

Status TrainStep::CheckSamples(const SampleBatch& batch) const {
  return CompareSamples(
      mesh(), program_->traits().batch_axes, batch.sample_ids, next_step());
}

// What is known of a step before it runs. Draws its faults.
StepReport TrainStep::BeginReport() {
  StepReport report;
  report.step = next_step();
  report.lr = state_->LearningRate();
  report.loss_scale =
      state_->guard().loss_scale.Scale(state_->optimizer().guard().loss_scale);
  program_->faults().Begin(next_step(), mesh().size());
  report.faults = program_->faults().hits;
  return report;
}

// The loss of the step is the mean over the accepted ones, or over all where
// none was.
Status TrainStep::RunMicroBatches(const SampleBatch& batch,
                                  StepReport& report) {
  StepEnd& end = *parts_->end;
  const MicroBatches& micro = end.micro();
  GYRE_RETURN_IF_ERROR(program_->Begin(batch, next_step()));
  LossSums all, accepted;
  for (int part = 0; part < micro.count(); ++part) {
    const int before = micro.accepted();
    GYRE_RETURN_IF_ERROR(program_->Run(batch, part, next_step(), &end));
    const float loss = program_->loss();
    GYRE_RETURN_IF_ERROR(end.Take(part, loss));
    const LossSums::Terms terms = program_->terms();
    all.Add(loss, terms);
    if (micro.accepted() > before) accepted.Add(loss, terms);
    program_->AddEmptyMasks(report.empty_masks);
  }
  // Without several there is none that could be left out.
  const bool some = micro.several() && micro.accepted() > 0;
  report.loss = (some ? accepted : all).MeanLoss();
  report.terms = (some ? accepted : all).MeanTerms();
  if (!micro.several()) return OkStatus();
  report.accepted_micro_batches = micro.accepted();
  report.micro = micro.bad();
  return OkStatus();
}

StatusOr<StepReport> TrainStep::Run(const SampleBatch& batch,
                                    const StepSignals& signals) {
  const Stopwatch watch;
  StepEnd& end = *parts_->end;
  NoticeRestore();
  GYRE_RETURN_IF_ERROR(program_->CheckBatch(batch));
  const RankChecks& checks = program_->traits().checks;
  if (checks.samples && !samples_compared_) {
    GYRE_RETURN_IF_ERROR(CheckSamples(batch));
    samples_compared_ = true;
  }
  ema_.clear();
  StepReport report = BeginReport();
  StepFaults& faults = program_->faults();
  FlipBits(*state_, faults);
  last_.faults = report.faults;
  last_.local_gradient_hash.reset();
  program_->set_loss_scale(static_cast<float>(report.loss_scale));
  end.Begin(signals, checks.samples ? SamplesHash(batch.sample_ids) : 0);
  mesh().world().SetActivity(report.step, "forward and backward");
  // One that lives until the step is over, where there are faults in it.
  const bool spoils = !faults.hits.empty();
  const SampleBatch spoiled =
      spoils ? WithDataFaults(batch, faults) : SampleBatch{};
  GYRE_RETURN_IF_ERROR(RunMicroBatches(spoils ? spoiled : batch, report));
  GYRE_ASSIGN_OR_RETURN(const StepOutcome outcome, end.Finish());
  if (!outcome.samples_right) GYRE_RETURN_IF_ERROR(CheckSamples(batch));
  if (!outcome.hashes_equal) {
    GYRE_ASSIGN_OR_RETURN(report.desync, end.consistency().Find());
  }
  mesh().world().SetActivity(report.step, "between steps");
  report.verdict = outcome.verdict;
  report.applied = outcome.verdict.applies();
  report.hashes_equal = outcome.hashes_equal;
  report.injected = faults.injected;
  report.reduce_seconds = outcome.reduce_seconds;
  report.last_arrival = outcome.last_arrival;
  report.stop_signal = outcome.stop_signal;
  report.end_asked = outcome.end_asked;
  states_compared_ |= checks.Due(report.step);
  report.outcome = state_->Commit(outcome.verdict);
  if (report.applied) BindState();
  report.seconds = watch.Seconds();
  return report;
}

StatusOr<std::optional<Desync>> TrainStep::CheckRanks() {
  return parts_->end->consistency().CheckNow();
}

// A step would find ranks that differ; nothing in an evaluation would.
Status TrainStep::CheckRestored() {
  NoticeRestore();
  if (states_compared_) return OkStatus();
  states_compared_ = true;
  if (mesh().size() == 1) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::optional<Desync> desync, CheckRanks());
  if (!desync.has_value()) return OkStatus();
  return MismatchError("after a restore the ranks hold different states: ",
                       desync->Describe(),
                       "; restore the same on all ranks");
}

StatusOr<const float*> TrainStep::EvaluatedParameters(
    const EvalOptions& options) {
  if (!options.use_ema) return state_->front().params();
  if (ema_.empty()) {
    GYRE_ASSIGN_OR_RETURN(ema_, MeanParameters(*state_));
  }
  return ema_.data();
}

StatusOr<EvalReport> TrainStep::RunEvaluation(const SampleBatch& batch,
                                              const EvalOptions& options,
                                              bool wants_loss) {
  GYRE_RETURN_IF_ERROR(CheckRestored());
  if (evaluation_ == nullptr) {
    const std::span<const BatchTensor> whole = program_->batch();
    GYRE_ASSIGN_OR_RETURN(evaluation_,
                          Evaluation::Compile(parts_->spec,
                                              {whole.begin(), whole.end()},
                                              state_->layout(),
                                              state_->buffer_layout()));
  }
  GYRE_ASSIGN_OR_RETURN(const float* const params,
                        EvaluatedParameters(options));
  return evaluation_->Run(
      batch, wants_loss, params, state_->front().buffers().data(), next_step());
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

StatusOr<std::optional<FirstCause>> TrainStep::FindCause(
    const SampleBatch& batch) {
  GYRE_RETURN_IF_ERROR(program_->CheckBatch(batch));
  // With the faults that were in it, for this run alone.
  StepFaults& faults = program_->faults();
  const StepFaults kept = faults;
  faults.hits = last_.faults;
  const SampleBatch as_run =
      faults.hits.empty() ? batch : WithDataFaults(batch, faults);
  GYRE_ASSIGN_OR_RETURN(const CauseReport report,
                        program_->FindCause(*state_, state_->before(), as_run));
  faults = kept;
  last_.local_gradient_hash = report.gradient_hash;
  return report.first;
}

}  // namespace gyre

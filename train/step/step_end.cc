#include "gyre/train/step/step_end.h"

#include <utility>
#include <vector>

#include "gyre/core/clock.h"
#include "gyre/core/finite.h"
#include "gyre/monitor/flight/flight_recorder.h"
#include "gyre/train/step/reduce_buckets.h"
#include "gyre/train/step/sample_check.h"

namespace gyre::internal::inline train {

StepEnd::StepEnd(const Parts& parts)
    : state_(parts.state),
      faults_(parts.faults),
      reducer_(parts.reducer),
      grads_(parts.grads),
      batch_axes_(parts.batch_axes),
      micro_(parts.state, parts.grads, parts.micro_batches),
      consistency_(parts.state, parts.checks),
      findings_(parts.state.layout()),
      largest_(parts.state.layout()) {}

void StepEnd::Begin(const StepSignals& signals, std::uint32_t samples) {
  signals_ = signals;
  samples_ = samples;
  if (signals.cursor.has_value()) consistency_.SetCursor(*signals.cursor);
  micro_.Begin();
}

Status StepEnd::Take(int index, float loss) {
  // In buckets, the gradient was looked at as it came.
  if (reducer_.buckets() != nullptr) return OkStatus();
  BeginInspection();
  const int tensors = state_.layout().count();
  if (index == 0) {
    WriteGradientFaults(state_.layout(), faults_, grads_, 0, tensors);
  }
  GYRE_RETURN_IF_ERROR(Inspect(0, tensors, &loss));
  if (!micro_.several()) return OkStatus();
  if (index == 0 || findings_.Norm() > largest_.Norm()) largest_ = findings_;
  return micro_.Take(index, findings_);
}

StatusOr<StepOutcome> StepEnd::Finish() {
  if (micro_.several()) micro_.PutMeanInPlace();
  StepOutcome outcome;
  GYRE_ASSIGN_OR_RETURN(const ReducedGradient sum, Reduce(outcome));
  const optim::Guard& guard = state_.optimizer().guard();
  outcome.verdict = micro_.Overrule(
      optim::Judge(sum.records, sum.norm, state_.guard(), guard));
  GYRE_RETURN_IF_ERROR(Update(outcome.verdict));
  return outcome;
}

// The sums in a loss are where a rank that is late with its batch is waited
// for: behind them all ranks are together again.
void StepEnd::BeginInspection() {
  findings_.Reset();
  inspected_ = false;
  forward_arrival_.reset();
  const auto records = state_.mesh().world().records();
  const auto step = static_cast<std::uint32_t>(state_.next_step());
  if (records.empty() || records[0].step != step) return;
  forward_arrival_ = FindLast(records);
}

Status StepEnd::Inspect(int begin, int end, const float* loss) {
  const optim::Guard& guard = state_.optimizer().guard();
  const optim::FlatLayout& layout = state_.layout();
  const std::size_t done = findings_.tensors().size();
  findings_.ScanTensors(layout, grads_, begin, end);
  if (loss != nullptr) {
    findings_.CheckLoss(*loss);
    inspected_ = true;
    if (guard.MayDropRanks()) GYRE_RETURN_IF_ERROR(ForgiveOthersLoss());
  }
  optim::Contain(guard, layout, findings_, grads_, done);
  return OkStatus();
}

// A loss is a mean over the ranks: one bad gradient makes it bad on all. Ranks
// with a good one must know whose fault it was before they drop themselves,
// that is before the reduction: one more small collective a step.
Status StepEnd::ForgiveOthersLoss() {
  Communicator& world = state_.mesh().world();
  GYRE_RETURN_IF_ERROR(world.Barrier({.label = "findings before the reduction",
                                      .loc = SourceLoc::Current(),
                                      .step = state_.next_step(),
                                      .note = findings_.ToNote()}));
  for (const ControlRecord& record : world.records()) {
    if ((record.note.flags & optim::kBadGradient) == 0) continue;
    if (findings_.tensors().empty()) findings_.ForgiveLoss();
    return OkStatus();
  }
  return OkStatus();
}

// The last bucket, the first to come, begins the guard's work on a step, and
// the first one, with the loss, ends it.
Status StepEnd::Ready(int index, const KernelArgs& args) {
  BucketReducer& reducer = *reducer_.buckets();
  const auto i = static_cast<std::size_t>(index);
  const GradientBucket& bucket = reducer.list()[i];
  if (i + 1 == reducer.list().size()) BeginInspection();
  WriteGradientFaults(
      state_.layout(), faults_, grads_, bucket.begin, bucket.end);
  const float* const loss = i == 0 ? args.input<float>(0) : nullptr;
  GYRE_RETURN_IF_ERROR(Inspect(bucket.begin, bucket.end, loss));
  reducer.Post(i, i == 0 ? StepNote() : Note());
  return OkStatus();
}

// What this rank tells all others with its gradients.
Note StepEnd::StepNote() {
  // The findings of several micro-batches have been judged already.
  Note note;
  if (!micro_.several()) {
    note = findings_.ToNote(state_.optimizer().guard(), state_.layout());
  }
  note.checksum = consistency_.Prepare().common;
  // The count of a rank without findings is free for another number.
  if ((note.flags & (optim::kBadGradient | optim::kBadLoss)) == 0) {
    note.value = samples_;
  }
  note.flags |= FlagsOf(signals_);
  return note;
}

// Of one rank and one micro-batch, the inspection has summed the squares.
std::optional<double> StepEnd::NormIfKnown() const {
  const bool known = inspected_ && state_.mesh().size() == 1 &&
                     !micro_.several() && !findings_.bad() &&
                     state_.optimizer().guard().norm == optim::NormKind::kTwo;
  return known ? std::optional(findings_.Norm()) : std::nullopt;
}

StatusOr<ReducedGradient> StepEnd::Reduce(StepOutcome& outcome) {
  const Stopwatch watch;
  FlightRecorder* const flight = signals_.flight;
  const std::uint64_t entered =
      flight == nullptr
          ? 0
          : flight->Enter("all_reduce", "gradients", state_.layout().bytes());
  // In buckets, the note has gone with the last of them.
  const Note note = reducer_.buckets() == nullptr ? StepNote() : Note();
  GYRE_ASSIGN_OR_RETURN(
      ReducedGradient sum,
      reducer_.Reduce({note, consistency_.prepared().parts, NormIfKnown()}));
  ReadRecords(sum, outcome);
  outcome.reduce_seconds = watch.Seconds();
  if (flight != nullptr) {
    const LastArrival last = outcome.last_arrival.value_or(LastArrival{-1, 0});
    flight->Leave(entered, last.rank, last.behind_ns);
  }
  return sum;
}

// What all ranks have told.
void StepEnd::ReadRecords(const ReducedGradient& sum, StepOutcome& outcome) {
  outcome.hashes_equal =
      sum.parts_equal && AllTold(sum.records, consistency_.prepared().common);
  if (outcome.hashes_equal) consistency_.NoteEqual();
  outcome.samples_right =
      SamplesLookRight(state_.mesh(), batch_axes_, sum.records);
  outcome.last_arrival = FindLast(sum.records);
  const bool earlier =
      forward_arrival_.has_value() && outcome.last_arrival.has_value() &&
      forward_arrival_->behind_ns > outcome.last_arrival->behind_ns;
  if (earlier) outcome.last_arrival = forward_arrival_;
  const StepSignals agreed = AgreedSignals(sum.records);
  outcome.stop_signal = agreed.stop;
  outcome.end_asked = agreed.end;
}

Status StepEnd::Update(optim::Verdict& verdict) {
  WriteUpdateFaults(state_.layout(), faults_, grads_);
  GYRE_ASSIGN_OR_RETURN(optim::UpdateResult result,
                        reducer_.Update(verdict.grad_scale()));
  // The same numbers on every rank, so the same verdict.
  const std::span<const float> buffers = state_.back().buffers();
  result.non_finite += CountNonFinite(buffers.data(), buffers.size());
  verdict = optim::ConfirmUpdate(std::move(verdict),
                                 result.non_finite,
                                 result.first_bad_tensor,
                                 state_.optimizer().guard());
  return OkStatus();
}

std::string StepEnd::Describe() const {
  std::string how = "in tree order";
  if (state_.shards().on()) how += ", to each rank its part";
  if (reducer_.buckets() != nullptr) {
    how += Cat(", in ",
               reducer_.buckets()->list().size(),
               " buckets while the backward pass runs");
  }
  return Cat("end of the step:\n  inspect  ",
             state_.optimizer().guard().Describe(),
             "\n  reduce   ",
             how,
             "\n  judge    norm, clip and verdict, equal on all ranks\n"
             "  update   ",
             state_.optimizer().Describe(),
             "\n");
}

}  // namespace gyre::internal::inline train

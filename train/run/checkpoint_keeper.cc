#include "gyre/train/run/checkpoint_keeper.h"

#include <utility>

#include "gyre/core/clock.h"
#include "gyre/core/log.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/records/recorder.h"

namespace gyre::internal::inline train {

Status DesyncError(const Desync& desync) {
  return MismatchError("the ranks differ before step ",
                       desync.step,
                       ": ",
                       desync.Describe(),
                       ". See events.jsonl; go on from checkpoints/last-good "
                       "with --resume, or with gyre rewind");
}

CheckpointKeeper::CheckpointKeeper(TrainStep& step,
                                   const BatchSource& source,
                                   const RunDirectory& run,
                                   Recorder& recorder,
                                   std::vector<CarriedState> carried,
                                   HookList& hooks,
                                   HookContext& context,
                                   std::int64_t keep)
    : step_(step),
      source_(source),
      recorder_(recorder),
      carried_(std::move(carried)),
      hooks_(hooks),
      context_(context) {
  if (step.mesh().rank() == 0) writer_.emplace(run, keep);
}

Status CheckpointKeeper::Tell(const CheckpointWriter::Outcome& outcome) {
  GYRE_RETURN_IF_ERROR(outcome.status());
  if (!outcome->has_value()) return OkStatus();
  const CheckpointInfo& info = **outcome;
  Json fields = Json::Object({{"path", StepName(info.step)},
                              {"good", info.good},
                              {"bytes", info.bytes},
                              {"write_s", info.seconds},
                              {"waited_s", waited_s_}});
  if (!info.not_finite.empty()) fields.Set("not_finite", info.not_finite);
  return recorder_.Write({.step = info.step,
                          .kind = std::string(event_kind::kCheckpoint),
                          .fields = std::move(fields)});
}

Status CheckpointKeeper::Poll() {
  return writer_.has_value() ? Tell(writer_->Poll()) : OkStatus();
}

Status CheckpointKeeper::Take() {
  GYRE_RETURN_IF_ERROR(Finish());
  GYRE_RETURN_IF_ERROR(hooks_.OnCheckpoint(context_));
  GYRE_ASSIGN_OR_RETURN(const std::optional<Desync> desync, step_.CheckRanks());
  if (desync.has_value()) {
    GYRE_RETURN_IF_ERROR(recorder_.RecordDesync(*desync));
    return DesyncError(*desync);
  }
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(recorder_.Flush(), step_.mesh().world(), "records written"));
  GYRE_ASSIGN_OR_RETURN(CheckpointSnapshot snapshot, Snapshot(step_));
  if (!writer_.has_value()) return OkStatus();
  snapshot.links = std::exchange(links_, {});
  snapshot.manifest.Set("cursor", DataCursor(source_, step_.next_step()));
  for (const CarriedState& state : carried_) {
    snapshot.carried.Set(state.name, state.save());
  }
  writer_->Begin(std::move(snapshot));
  return OkStatus();
}

Status CheckpointKeeper::Finish() {
  return DoneByRankZero(
      [&] { return FinishOwn(); }, step_.mesh().world(), "checkpoint written");
}

Status CheckpointKeeper::FinishOwn() {
  if (!writer_.has_value()) return OkStatus();
  const Stopwatch watch;
  const bool busy = writer_->busy();
  const CheckpointWriter::Outcome outcome = writer_->Finish();
  const Status told = Tell(outcome);
  waited_s_ = busy ? watch.Seconds() : 0;
  return told;
}

void CheckpointKeeper::FinishAfter(const Status& error) {
  const Status status = FinishOwn();
  if (status.ok() || status == error) return;
  LogWarning(Message(status));
  recorder_.RecordError(status, step_.next_step());
}

}  // namespace gyre::internal::inline train

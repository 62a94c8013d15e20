// Turns step reports into the records of a run: metrics, events, progress.

#ifndef GYRE_TRAIN_RECORDS_RECORDER_H_
#define GYRE_TRAIN_RECORDS_RECORDER_H_

#include <memory>
#include <optional>
#include <string>

#include "gyre/core/io/json.h"
#include "gyre/monitor/divergence.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/flight/flight_recorder.h"
#include "gyre/monitor/flight/signal_dump.h"
#include "gyre/monitor/metrics.h"
#include "gyre/monitor/rank_log.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/monitor/sinks/tensorboard.h"
#include "gyre/monitor/spikes/live.h"
#include "gyre/train/checkpoint/carried_state.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/records/findings.h"
#include "gyre/train/records/run_metrics.h"
#include "gyre/train/records/telemetry.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

class Recorder {
 public:
  static constexpr int kMaxCauses = 16;

  // Opens the run's files: events and the rank's own log on every rank,
  // metrics on rank 0.
  static StatusOr<std::unique_ptr<Recorder>> Open(const RunDirectory& run,
                                                  int rank,
                                                  std::int64_t first_step);
  // After Finish: opens the same files again, to go on with the run.
  Status GoOn(std::int64_t first_step);

  // Collective after a step that was not clean (all ranks know that alike):
  // the event names ranks, tensors and samples. Events alone: WriteLines is
  // to follow.
  Status Record(const TrainStep& step,
                const StepReport& report,
                const BatchSource& source);
  // The step's line in metrics.jsonl, TensorBoard and the rank's own record,
  // with what hooks have set.
  Status WriteLines(const TrainStep& step,
                    const StepReport& report,
                    const RunMetrics& metrics);
  // Before both: what goes beyond the report (train/records/telemetry.h), which
  // WriteLines then writes; `batch` as the step had it.
  Status Look(const TrainStep& step,
              const StepReport& report,
              const SampleBatch& batch,
              const BatchSource& source);
  // How often: LoopOptions::telemetry_every. The same again changes nothing.
  void set_telemetry(int every);
  // For TrainStep::set_flight.
  FlightRecorder* flight() { return flight_.get(); }

  // Looks for the operation that made the step bad
  // (train/records/cause_record.h), for the first kMaxCauses bad steps of a
  // run: an event, and evidence/step-N/cause.json. Collective, after Record and
  // before the next step; `batch` as the step had it.
  Status RecordCause(TrainStep& step,
                     const StepReport& report,
                     const SampleBatch& batch,
                     const BatchSource& source);
  Status Write(Event event) { return events_.Write(std::move(event)); }
  // The ranks differ: an event that names tensors and ranks, of rank 0.
  Status RecordDesync(const Desync& desync);
  // A hook has asked for the end of the run: an event of rank 0.
  Status RecordStop(std::int64_t step, const std::string& why);
  // What ends this rank: an event, and the last steps beside it.
  void RecordError(const Status& status, std::int64_t step);
  // Writes what is waiting: records reach as far as a checkpoint does that is
  // taken now, whatever happens to the process.
  Status Flush();
  // Writes and closes what is open.
  Status Finish();
  // The spike detectors, for checkpoints. Not after the recorder is gone.
  CarriedState CarriedSpikes() {
    return {"spikes",
            [this] { return spikes_.ToJson(); },
            [this](const Json& saved) { return spikes_.Restore(saved); }};
  }

  CarriedState CarriedDivergence() {
    return {"divergence",
            [this] { return divergence_.ToJson(); },
            [this](const Json& saved) { return divergence_.Restore(saved); }};
  }

  // Of the first step that was skipped, as in its event.
  const std::optional<Json>& first_skip() const { return first_skip_; }

 private:
  Recorder(RunDirectory run, EventLog events, int rank)
      : run_(std::move(run)), events_(std::move(events)), rank_(rank) {}
  Status RecordMicroBatches(const TrainStep& step,
                            const StepReport& report,
                            const BatchSource& source);
  Status RecordBadStep(const TrainStep& step,
                       const StepReport& report,
                       const BatchSource& source);
  Status RecordMetrics(const TrainStep& step,
                       const StepReport& report,
                       const RunMetrics& added);
  Status RecordSpikes(const TrainStep& step,
                      const StepReport& report,
                      const BatchSource& source);

  Status RecordDivergence(const StepReport& report);
  void TellOfLargeNorm(const TrainStep& step,
                       const StepReport& report,
                       const std::vector<RankFindings>& findings);
  void RecordFlight(const TrainStep& step, const StepReport& report);
  void DumpFlight(const std::string& reason);

  const RunDirectory run_;
  EventLog events_;
  std::optional<RankLog> rank_log_;
  std::unique_ptr<FlightRecorder> flight_;
  std::unique_ptr<SignalDump> signal_dump_;
  std::string flight_path_;
  int flight_dumps_ = 0;
  std::optional<MetricsLog> metrics_;
  std::optional<TensorboardWriter> board_;
  std::string board_path_;  // of the run's file, once it has one
  int rank_;
  std::optional<Json> first_skip_;
  int causes_ = 0;
  int large_norms_ = 0;  // that were told of
  std::optional<Telemetry> telemetry_;
  int telemetry_every_ = 0;
  Json probes_ = Json::Object();  // of this step
  double look_seconds_ = 0;       // of this step, for telemetry
  LiveSpikes spikes_;             // rank 0's
  Divergence divergence_;         // the same
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RECORDS_RECORDER_H_

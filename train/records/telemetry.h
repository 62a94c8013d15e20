// What a run records beyond its step reports: norms by layer, masks, losses by
// group, the machine. Now and then, so that it costs little.
//
//   Telemetry telemetry(Telemetry::kAuto);
//   GYRE_RETURN_IF_ERROR(telemetry.Look(step, report, batch, source));
//   metrics.Set(...) for telemetry.metrics();    // rank 0: of the whole step
//   rank_line.Set(...) for telemetry.rank();     // what only this rank knows
//   telemetry.Spent(seconds);                    // recording included
//
//   metrics.jsonl  "layers": {"grad_norm": {"hidden0.w": 0.31}, ...}
//                  "masks": {"losses.cc:31": 812}
//   ranks/*.jsonl  "layers": {"local_norm": {...}, "act_norm": {...}, ...}
//                  "groups": {"deep storms": {"sum": 3.1, "weight": 40}}
//                  "machine": {"rss_mb": 212, ...}
//
// See train/step/layer_numbers.h for "layers". "masks" are the sums of weights
// that masked means divide by, over all ranks: how many cells were valid.
// Groups are the application's (BatchSource::GroupLosses); their mean over the
// ranks is the sum of sums over the sum of weights.

#ifndef GYRE_TRAIN_RECORDS_TELEMETRY_H_
#define GYRE_TRAIN_RECORDS_TELEMETRY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/monitor/machine/machine.h"
#include "gyre/train/data/batch.h"

namespace gyre {
class TrainStep;
struct StepReport;
}  // namespace gyre

namespace gyre::internal::inline train {

class Telemetry {
 public:
  // Every 20 steps; every 40, 80, ... where that takes more than 2% of the
  // time. Ranks may come to differ; the rarer steps are among the others.
  static constexpr int kAuto = -1;

  // Every so many steps, counted from step 0; 0: never.
  explicit Telemetry(int every);

  // After a step and before the next one.
  Status Look(const TrainStep& step,
              const StepReport& report,
              const SampleBatch& batch,
              const BatchSource& source);

  // Of the last Look; empty objects where the step was not due.
  const Json& metrics() const { return metrics_; }
  const Json& rank() const { return rank_; }
  // What the machine did to this rank, since the last Look.
  const std::vector<std::string>& complaints() const { return complaints_; }

  // How long the last Look and its recording took, which sets how often.
  void Spent(double seconds);

  int interval() const { return interval_; }

 private:
  const bool automatic_;
  int interval_;  // 0: never
  bool due_ = false;
  std::int64_t steps_ = 0;  // seen so far, and how long they took
  double step_seconds_ = 0;
  int looks_ = 0;
  Json metrics_ = Json::Object();
  Json rank_ = Json::Object();
  MachineWatch machine_;
  std::vector<std::string> complaints_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RECORDS_TELEMETRY_H_

// Keeps a bad step while it is at hand, so that `gyre replay` can run it
// again: the state before it (the back of the step's state still has it),
// every rank's batch, and what came out, to the bit. See
// train/replay/evidence.h for the files.
//
// Costs nothing in steps that are clean.

#ifndef GYRE_TRAIN_REPLAY_CAPTURE_H_
#define GYRE_TRAIN_REPLAY_CAPTURE_H_

#include <cstdint>

#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/data/batch.h"

namespace gyre {
class TrainStep;
struct StepReport;
}  // namespace gyre

namespace gyre::internal::inline train {

class Recorder;

}  // namespace gyre::internal::inline train

namespace gyre {

struct CaptureLimits {
  int steps = 16;                              // the first bad ones; 0: none
  std::int64_t bytes = std::int64_t{1} << 28;  // of all of them, on disk
};

}  // namespace gyre

namespace gyre::internal::inline train {

class Capture {
 public:
  Capture(const RunDirectory& run, const CaptureLimits& limits)
      : run_(run), limits_(limits) {}

  // Keeps the step if its verdict is not clean and the limits allow it; a
  // gradient that a loss scale made overflow is business as usual and is not
  // kept. A step that cannot be written (a full disk) is an event and a
  // warning: training goes on. Collective, after the step and before the next
  // one; `batch` as the step had it.
  Status Keep(TrainStep& step,
              const StepReport& report,
              const SampleBatch& batch,
              const BatchSource& source,
              Recorder& recorder);

 private:
  bool Wanted(const TrainStep& step,
              const StepReport& report,
              const SampleBatch& batch);

  const RunDirectory run_;
  const CaptureLimits limits_;
  int steps_ = 0;
  std::int64_t bytes_ = 0;
  bool told_ = false;  // that a limit is reached
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_CAPTURE_H_

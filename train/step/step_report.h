// What a training step did. The host may branch on it; the plan cannot.

#ifndef GYRE_TRAIN_STEP_STEP_REPORT_H_
#define GYRE_TRAIN_STEP_STEP_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/cause.h"
#include "gyre/core/source_loc.h"
#include "gyre/core/status.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/scan.h"
#include "gyre/train/faults/fault.h"
#include "gyre/train/step/desync.h"

namespace gyre {

// A micro-batch that was not clean (train/step/micro_batches.h).
struct MicroFinding {
  int index = 0;
  optim::Verdict verdict;
  optim::LocalFindings local;  // this rank's
};

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
  // Some rank has an error that the others do not know yet
  // (train/step/step_end.h: StepSignals). The same on all ranks.
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

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_STEP_REPORT_H_

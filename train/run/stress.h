// What became of the faults of a run.
//
//   GYRE_ASSIGN_OR_RETURN(
//       const StressReport report,
//       Stress(*step, source, 1000));    // a step with TrainSpec::faults
//   std::cout << report.Table();
//
// `gyre stress -- program args` does the same to any program.

#ifndef GYRE_TRAIN_RUN_STRESS_H_
#define GYRE_TRAIN_RUN_STRESS_H_

#include <array>
#include <cstdint>
#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/faults/fault.h"

namespace gyre {

class TrainStep;
struct StepReport;

// Of the faults of one place and value. A step with several counts for each.
struct StressCount {
  std::int64_t injected = 0;
  std::int64_t local = 0;     // found in a rank's gradient or loss
  std::int64_t reduced = 0;   // found in the sum: overflow, or a spike
  std::int64_t update = 0;    // found in the new values
  std::int64_t harmless = 0;  // finite where it ended, and applied

  void Add(const StressCount& other);
};

struct StressReport {
  std::array<std::array<StressCount, kFaultValues>, kFaultPlaces> counts = {};
  std::int64_t steps = 0;
  std::int64_t applied = 0;
  // Steps after which a parameter, an optimizer state or a buffer was not
  // finite.
  std::int64_t escapes = 0;

  StressCount Total() const;
  std::string Table() const;
  Json ToJson() const;
};

// Adds one step that has just been run.
void Observe(const TrainStep& step,
             const StepReport& report,
             StressReport& stress);

// Runs `steps` steps. A run that the guard ends before is not an error: the
// report has the steps until then. Collective.
StatusOr<StressReport> Stress(TrainStep& step,
                              BatchSource& source,
                              std::int64_t steps);

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_STRESS_H_

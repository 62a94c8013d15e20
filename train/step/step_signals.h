// What a run has to say with a step, beside its batch.

#ifndef GYRE_TRAIN_STEP_STEP_SIGNALS_H_
#define GYRE_TRAIN_STEP_STEP_SIGNALS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline monitor {
class FlightRecorder;
}  // namespace gyre::internal::inline monitor

namespace gyre::internal::inline train {

// All ranks learn of the first two with the step's gradients.
struct StepSignals {
  int stop = 0;      // this rank was asked to stop, by this signal
  bool end = false;  // this rank has an error, which is to end the run
  // A hash of the samples to come, which must be the same on all ranks. Not
  // set: as before.
  std::optional<std::uint64_t> cursor = {};
  // Who is told of the reduction; null: nobody.
  FlightRecorder* flight = nullptr;
};

// As bits of Note::flags that are the guard's to leave alone.
std::uint32_t FlagsOf(const StepSignals& signals);

// What all ranks together have said: the first two of StepSignals.
StepSignals AgreedSignals(std::span<const ControlRecord> records);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STEP_SIGNALS_H_

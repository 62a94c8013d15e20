// Being asked to stop: SIGTERM and SIGUSR1, as batch systems send them some
// time before they kill a job.
//
//   const StopSignals signals;                 // from here on, noted only
//   while (... && signals.requested() == 0) { ... one step ... }
//   Save();
//   return StoppedBySignal(signals.requested(), "stopped after step 60");
//
// A program that ends so has the exit code 128 + the signal, like one that
// the signal has killed; it did not finish.
//
// WARNING 1: while an object lives, SIGTERM does not end the process; SIGINT
// and SIGKILL do.
// WARNING 2: signals belong to the process. Objects in several threads (ranks
// as threads) see the same request; the first sets the handlers up, the last
// puts the former ones back.

#ifndef GYRE_CORE_STOP_SIGNALS_H_
#define GYRE_CORE_STOP_SIGNALS_H_

#include <optional>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The signal that came since the first object was made; 0: none did.
  int requested() const;
};

// The end of a run that was asked to stop.
Status StoppedBySignal(int signal, const std::string& message);

// The signal of a status that StoppedBySignal made.
std::optional<int> StopSignalOf(const Status& status);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_STOP_SIGNALS_H_

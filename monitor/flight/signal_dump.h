// Dumps a flight recorder when the process is about to die.
//
//   SignalDump dump(flight, run.path() + "/flight/00003.jsonl");
//
// As long as it lives: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write the
// file and then end the process as they would have; SIGUSR2 writes it and
// goes on.
//
// Signals belong to the process: of several ranks in one process all are
// dumped, each to its own file. The first object sets the handlers up, the
// last puts the former ones back.
//
// WARNING 1: SIGKILL cannot be caught: what is left then is what was dumped
// before.

#ifndef GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_
#define GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_

#include <string>

#include "gyre/monitor/flight/flight_recorder.h"

namespace gyre::internal::inline monitor {

class SignalDump {
 public:
  SignalDump(const FlightRecorder& flight, const std::string& path);
  SignalDump(const SignalDump&) = delete;
  SignalDump& operator=(const SignalDump&) = delete;
  ~SignalDump();

  // False for one too many: kMost of a process can be dumped.
  static constexpr int kMost = 1024;
  bool active() const { return slot_ >= 0; }

 private:
  static void Handle(int signal);

  const FlightRecorder& flight_;
  std::string path_;
  int slot_ = -1;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_

// Dumps a flight recorder when the process is about to die.
//
//   SignalDump dump(flight, run.path() + "/flight/00003.jsonl");
//
// As long as it lives: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write the
// file and then end the process as they would have; SIGUSR2 writes it and
// goes on.
//
// WARNING 1: signals belong to the process. Of several ranks in one process,
// the one whose SignalDump was made first is dumped; the others' do nothing.
// WARNING 2: SIGKILL cannot be caught: what is left then is what was dumped
// before.

#ifndef GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_
#define GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_

#include <signal.h>

#include <array>
#include <string>

#include "monitor/flight/flight_recorder.h"

namespace gyre {

class SignalDump {
 public:
  SignalDump(const FlightRecorder& flight, const std::string& path);
  SignalDump(const SignalDump&) = delete;
  SignalDump& operator=(const SignalDump&) = delete;
  ~SignalDump();

  bool active() const { return active_; }

 private:
  static constexpr std::array<int, 6> kSignals = {
      SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR2};
  static void Handle(int signal);
  void Write(int signal) const;
  void Restore(int signal) const;

  const FlightRecorder& flight_;
  std::string path_;
  bool active_ = false;
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace gyre

#endif  // GYRE_MONITOR_FLIGHT_SIGNAL_DUMP_H_

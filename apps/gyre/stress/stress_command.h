// `gyre stress`: runs a program with faults in it, and says what became of
// them.
//
//   gyre stress -n 4 --rate 0.2 -- weather_loss --steps 500
//
// It is `gyre launch` with the variable GYRE_INJECT set (train/faults/fault.h).
// A program that trains with RunTraining prints the table at its end.

#ifndef GYRE_APPS_GYRE_STRESS_STRESS_COMMAND_H_
#define GYRE_APPS_GYRE_STRESS_STRESS_COMMAND_H_

#include <span>
#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct StressOptions {
  std::string faults;  // for GYRE_INJECT
  std::vector<std::string> launch_args;
  bool help = false;
};

// `args`: what follows "stress". Errors: a kind of fault that there is not, a
// rate outside (0, 1].
StatusOr<StressOptions> ParseStressOptions(std::span<const std::string> args);

int RunStress(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_STRESS_STRESS_COMMAND_H_

// `gyre doctor`: what may be wrong with a run.

#ifndef GYRE_APPS_GYRE_DOCTOR_DOCTOR_COMMAND_H_
#define GYRE_APPS_GYRE_DOCTOR_DOCTOR_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "doctor".
int RunDoctor(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_DOCTOR_DOCTOR_COMMAND_H_

// The program that runs here: what it is, and how it was started.
//
// From the system, not from main: it is the same for every program, and a
// run's records can name it (train/run/start_run.h), so that a step can be run
// again later (train/replay/replay.h).

#ifndef GYRE_CORE_PROGRAM_H_
#define GYRE_CORE_PROGRAM_H_

#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

// Equal where the same program runs.
struct ProgramIdentity {
  std::string build;  // hash of the executable
  std::string isa;    // what the build and the processor offer kernels
};
ProgramIdentity ReadProgramIdentity();

struct ProgramStart {
  std::string program;                 // the executable's path
  std::vector<std::string> arguments;  // without the program's name
  std::string directory;               // that relative paths begin in
};
// Error: the system does not tell.
StatusOr<ProgramStart> ReadProgramStart();

// 16 digits; that of an executable is its ProgramIdentity::build.
StatusOr<std::string> HashOfFile(const std::string& path,
                                 ErrorKind kind = ErrorKind::kData);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_PROGRAM_H_

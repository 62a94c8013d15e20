// The frame of a program that trains: joins the world, runs the body, and
// turns its error into a message, a notice to the other ranks and an exit
// code (core/exit_code.h).
//
//   int main() {
//     return gyre::RunMain([](gyre::World& world) -> gyre::Status {
//       std::cout << "rank " << world.rank() << "\n";
//       return gyre::OkStatus();
//     });
//   }
//
// Flags are parsed before, by core/flags.h: --help needs no world.
//
// WARNING 1: a process may host several ranks (collectives/hosted_ranks.h):
// the body then runs once for each, at the same time, on threads. What it
// refers to outside of itself must bear that; reading does.
// WARNING 2: threads cannot be ended from outside. When a rank of several has
// failed, those that have not ended kLastWordsS later end with the process,
// wherever they are.

#ifndef GYRE_RUNTIME_RUN_MAIN_H_
#define GYRE_RUNTIME_RUN_MAIN_H_

#include <functional>

#include "gyre/collectives/world.h"
#include "gyre/core/status.h"

namespace gyre {

// Ranks that hear of another's failure end within a tenth of a second; this is
// for what they write down before.
inline constexpr double kLastWordsS = 2;

int RunMain(const std::function<Status(World&)>& body,
            const WorldOptions& options = {});

// Prints "error: rank 2: message" (no rank in a world of one) and gives the
// exit code.
int ReportError(const Status& status, int rank, int world_size);

}  // namespace gyre

#endif  // GYRE_RUNTIME_RUN_MAIN_H_

// The frame of a program that trains: joins the world, runs the body, and
// turns its error into a message, a notice to the other ranks and an exit
// code (core/exit_code.h).
//
//   int main() {
//     return gyre::RunMain([](gyre::World& world) -> gyre::Status {
//       ...
//       return gyre::OkStatus();
//     });
//   }
//
// Flags are parsed before, by core/flags.h: --help needs no world.

#ifndef GYRE_APPS_RUNTIME_RUN_MAIN_H_
#define GYRE_APPS_RUNTIME_RUN_MAIN_H_

#include <functional>

#include "collectives/world.h"
#include "core/status.h"

namespace gyre {

int RunMain(const std::function<Status(World&)>& body,
            const WorldOptions& options = {});

// Prints "error: rank 2: message" (no rank in a world of one) and gives the
// exit code.
int ReportError(const Status& status, int rank, int world_size);

}  // namespace gyre

#endif  // GYRE_APPS_RUNTIME_RUN_MAIN_H_

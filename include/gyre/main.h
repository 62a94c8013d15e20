// The frame of a program: the world it is part of, its flags, its exit code.
//
//   int main() {
//     return RunMain([](World& world) -> Status {
//       std::cout << "rank " << world.rank() << "\n";
//       return OkStatus();
//     });
//   }
//
// Started by hand it is a world of one; `gyre launch -n 4 -- ./app`, mpirun,
// torchrun and srun make it one of four.

#ifndef GYRE_MAIN_H_
#define GYRE_MAIN_H_

#include "gyre/core/exit_code.h"
#include "gyre/core/flags.h"
#include "gyre/core/status.h"
#include "gyre/runtime/run_main.h"

#endif  // GYRE_MAIN_H_

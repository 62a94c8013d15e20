// What is started for the ranks of this host: program, environment,
// processors.

#ifndef GYRE_APPS_GYRE_LAUNCH_RANK_COMMAND_H_
#define GYRE_APPS_GYRE_LAUNCH_RANK_COMMAND_H_

#include <string>
#include <vector>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/rank_process.h"

namespace gyre::internal::inline apps {

// Where the ranks of one attempt meet.
struct Meeting {
  int shm_fd = -1;  // -1: the ranks find each other at the coordinator
  std::string token;
  int restart = 0;  // how many attempts there were before
  // The ranks of this host are first_rank .. of `size`; 0: they are all.
  int first_rank = 0;
  int size = 0;
  std::string coordinator;
};

// One for each of options.processes, or of options.ranks when that is 0.
std::vector<RankCommand> CommandsFor(const LaunchOptions& options,
                                     const std::string& program,
                                     const Meeting& meeting);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_RANK_COMMAND_H_

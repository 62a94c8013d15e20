// Which processors each rank of this machine gets.
//
//   const std::vector<Processor> all = AllowedProcessors();
//   const std::vector<Share> shares = Divide(all, ranks);
//
// Whole cores, side by side, as many for each rank as there are; ranks that
// outnumber the cores take turns on them.

#ifndef GYRE_APPS_GYRE_LAUNCH_BINDING_H_
#define GYRE_APPS_GYRE_LAUNCH_BINDING_H_

#include <vector>

namespace gyre::internal::inline apps {

struct Processor {
  int number = 0;
  int package = 0;
  int core = 0;  // processors of one core of one package share its units
};

struct Share {
  std::vector<int> processors;  // by number
  int cores = 1;
};

// One share per rank; empty when `all` is.
std::vector<Share> Divide(std::vector<Processor> all, int ranks);

// Those that this process may use. A machine that does not tell its cores
// counts every processor as one.
std::vector<Processor> AllowedProcessors();

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_BINDING_H_

// How many processors this process may keep busy: what taskset, a container
// or a cgroup allows, not what the machine has.

#ifndef GYRE_COLLECTIVES_CPU_BUDGET_H_
#define GYRE_COLLECTIVES_CPU_BUDGET_H_

#include <optional>
#include <string_view>

#include "collectives/rendezvous.h"

namespace gyre {

// At least 1.
int AllowedCpus();

// The processors that a cgroup's cpu.max ("150000 100000", "max 100000")
// grants; nothing when it is unlimited or no such text.
std::optional<double> QuotaFromCpuMax(std::string_view text);

// How `local_ranks` ranks on this host shall wait: spinning for a few
// microseconds only where each of them has a processor.
WaitPolicy PolicyFor(int local_ranks, double deadline_s);

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_CPU_BUDGET_H_

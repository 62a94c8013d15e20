// What this process may use of the machine: processors and memory that
// taskset, a container or a cgroup allow, not what the machine has.

#ifndef GYRE_COLLECTIVES_HOST_LIMITS_H_
#define GYRE_COLLECTIVES_HOST_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gyre/collectives/rendezvous.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Of this thread. At least 1.
int AllowedCpus();

// Of all ranks of this host together: mpirun, srun and gyre launch --bind give
// each rank a part of the processors that they have themselves.
int HostCpus();

// The processors that a cgroup's cpu.max ("150000 100000", "max 100000")
// grants; nothing when it is unlimited or no such text.
std::optional<double> QuotaFromCpuMax(std::string_view text);

// What the machine, or this process's cgroup, can still give out, in bytes.
std::uint64_t AvailableMemory();
// An error, with both numbers, when there is not as much.
Status CheckMemory(std::size_t bytes);

// How `local_ranks` ranks on this host shall wait: spinning for a few
// microseconds only where each of them has a processor.
WaitPolicy PolicyFor(int local_ranks, double deadline_s);

// The largest payload for which a second copy is cheaper than a second
// barrier: a barrier costs a microsecond when ranks spin, and a few dozen when
// they must take turns on the processors.
std::size_t SmallBytesFor(int local_ranks);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_HOST_LIMITS_H_

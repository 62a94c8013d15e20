// The ranks of one process: one as a rule, several where the launcher says so
// (`gyre launch -n 8 --processes 2`).
//
//   GYRE_ASSIGN_OR_RETURN(const auto ranks, HostedRanks::Find(options));
//   ... for each i below ranks->count(), on a thread of its own:
//   GYRE_ASSIGN_OR_RETURN(const auto world, ranks->Join(i));
//
// The ranks are those of any other world: a thread holds the World of its
// rank, and shares nothing with the others but what the program itself does.
// Where all ranks are of one process, they meet in its memory (local/); else
// each of them meets the rest in shared memory (shm/), or by messages. Sums
// have the same bits either way.
//
// WARNING 1: a process that is killed takes all its ranks along.

#ifndef GYRE_COLLECTIVES_HOSTED_RANKS_H_
#define GYRE_COLLECTIVES_HOSTED_RANKS_H_

#include <memory>
#include <optional>
#include <utility>

#include "gyre/collectives/local/local_space.h"
#include "gyre/collectives/shm/memfd.h"
#include "gyre/collectives/world.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

class HostedRanks {
 public:
  // As the environment tells; a world of one for a program that was not
  // launched. Errors: an environment that contradicts itself, ranks of one
  // process that could not talk as asked for.
  static StatusOr<std::unique_ptr<HostedRanks>> Find(
      const WorldOptions& options);

  int count() const { return launch_.hosted; }
  int rank(int index) const { return launch_.rank + index; }
  int size() const { return launch_.size; }

  // Once for each index below count(), from any thread. Waits for the other
  // ranks, so that none of them may be left out. This object must outlive the
  // worlds.
  StatusOr<std::unique_ptr<World>> Join(int index);

 private:
  HostedRanks(const WorldOptions& options, LaunchEnv launch, double deadline_s)
      : options_(options),
        launch_(std::move(launch)),
        deadline_s_(deadline_s) {}

  // All ranks of the world are here, and may meet in our memory.
  Status UseOwnMemory();
  StatusOr<std::unique_ptr<World>> JoinLocal(int index);
  // Tells the launcher, which does not see our memory, who gave up first.
  void Notify();

  const WorldOptions options_;
  const LaunchEnv launch_;
  const double deadline_s_;
  FileHandle shm_;                      // the launcher's file, if any
  std::shared_ptr<LocalMemory> local_;  // null: not in our memory
  std::optional<Mapping> launchers_;    // the beginning of its file
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_HOSTED_RANKS_H_

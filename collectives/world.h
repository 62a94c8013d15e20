// All ranks of the program, found from how it was started.
//
//   GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<World> world, JoinWorld({}));
//   GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
//                         Mesh::Create(world->comm(), {{"data", -1}}));
//
// Under `gyre launch -n 4` it is a world of four processes that share memory;
// under mpirun, srun, torchrun, or on several hosts, one whose ranks first
// meet at rank 0, and then share memory where they can or talk over gRPC
// (network_options.h lets the user choose). Started by hand, a program is a
// world of one and needs no launcher.
//
// WARNING 1: join once, and keep the world until all meshes and
// communicators made from it are gone.
// WARNING 2: a rank that ends with an error calls Abort first, so that the
// others end at once and name it. RunMain (runtime) does.

#ifndef GYRE_COLLECTIVES_WORLD_H_
#define GYRE_COLLECTIVES_WORLD_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gyre/collectives/launch_env.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre {

struct WorldOptions {
  // How long to wait for a late rank. Unset: GYRE_DEADLINE_S, or 30 s.
  std::optional<double> deadline_s = {};
  // Where the launcher's variables come from: replaced in tests.
  internal::EnvReader env = internal::ProcessEnv;
  // A hash of what must be the same on all ranks. They are told of a
  // difference before the first step where they meet at rank 0.
  std::string config = {};
};

class World {
 public:
  // `on_abort` also hears why this rank gives up.
  World(std::unique_ptr<Communicator> comm,
        std::string launched_by,
        std::function<void(const Status&)> on_abort = nullptr)
      : comm_(std::move(comm)),
        launched_by_(std::move(launched_by)),
        on_abort_(std::move(on_abort)) {}

  Communicator& comm() { return *comm_; }
  int rank() const { return comm_->rank(); }
  int size() const { return comm_->size(); }

  // "gyre launch", "torchrun", "Slurm", ...; "" for a program that was
  // started by hand.
  const std::string& launched_by() const { return launched_by_; }

  // Tells all other ranks that this one gives up, and why.
  void Abort(const Status& why) {
    comm_->Abort(why);
    if (on_abort_ != nullptr) on_abort_(why);
  }

 private:
  std::unique_ptr<Communicator> comm_;
  std::string launched_by_;
  std::function<void(const Status&)> on_abort_;
};

// Errors: an environment that contradicts itself, shared memory of another
// run or build, a rank that does not come within the deadline, a process that
// is to host several ranks (hosted_ranks.h).
StatusOr<std::unique_ptr<World>> JoinWorld(const WorldOptions& options);

// The same, as the one rank that `launch` says.
StatusOr<std::unique_ptr<World>> JoinAs(const WorldOptions& options,
                                        const internal::LaunchEnv& launch);

// How long to wait for a late rank: as in the options, else the environment.
StatusOr<double> DeadlineOf(const WorldOptions& options);

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_WORLD_H_

// Ranks as forked processes of a test, in a real shm world.
//
//   ForkWorld world(2);
//   world.Start([](Communicator& comm) -> Status { ... });
//   for (const ForkOutcome& end : world.Wait()) { ... end.message ... }

#ifndef GYRE_TESTS_SUPPORT_FORK_WORLD_H_
#define GYRE_TESTS_SUPPORT_FORK_WORLD_H_

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/shared_communicator.h"
#include "gyre/collectives/shm/shm_space.h"
#include "tests/support/fork_ranks.h"

namespace gyre::internal::inline tests {

class ForkWorld {
 public:
  using Body = std::function<Status(Communicator&)>;

  explicit ForkWorld(int ranks, double deadline_s = 20)
      : ranks_(ranks), deadline_s_(deadline_s) {
    auto file = CreateShmWorld(ranks, "test");
    GYRE_CHECK(file.ok(), file.status());
    file_ = *std::move(file);
  }

  void Start(const Body& body) {
    std::vector<int> all(ranks_);
    std::iota(all.begin(), all.end(), 0);
    StartSome(all, body);
  }
  void StartSome(const std::vector<int>& ranks, const Body& body) {
    children_.Start(ranks, [&](int rank) { return RunRank(rank, body); });
  }

  pid_t pid(int rank) const { return children_.pid(rank); }
  void Signal(int rank, int signal) { children_.Signal(rank, signal); }

  // The end of every child.
  std::vector<ForkOutcome> Wait() { return children_.Wait(); }
  // The ends of these only; the others go on.
  std::vector<ForkOutcome> WaitForRanks(const std::vector<int>& ranks) {
    return children_.WaitForRanks(ranks);
  }

  // The first error by rank.
  static Status Run(int ranks, const Body& body, double deadline_s = 20) {
    ForkWorld world(ranks, deadline_s);
    world.Start(body);
    return ForkRanks::FirstError(world.Wait());
  }

 private:
  Status RunRank(int rank, const Body& body) {
    GYRE_ASSIGN_OR_RETURN(
        auto space, ShmSpace::Open(::dup(file_.get()), rank, ranks_, "test"));
    GYRE_ASSIGN_OR_RETURN(
        const auto comm,
        SharedCommunicator::Join(std::move(space),
                                 PolicyFor(ranks_, deadline_s_)));
    const Status status = body(*comm);
    if (!status.ok()) comm->Abort(status);
    return status;
  }

  int ranks_;
  double deadline_s_;
  FileHandle file_;
  ForkRanks children_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_FORK_WORLD_H_

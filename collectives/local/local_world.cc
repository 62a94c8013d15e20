#include "collectives/local/local_world.h"

#include <thread>
#include <vector>

#include "collectives/host_limits.h"
#include "collectives/local/local_space.h"
#include "collectives/membership.h"
#include "collectives/shared_communicator.h"
#include "core/check.h"

namespace gyre {
namespace {

Status RunRank(const std::shared_ptr<LocalMemory>& memory,
               int rank,
               const WaitPolicy& policy,
               const std::function<Status(Communicator&)>& body) {
  const auto space = std::make_shared<LocalSpace>(memory, rank);
  auto comm = SharedCommunicator::Join(space, policy);
  const Status status = comm.ok() ? body(**comm) : comm.status();
  if (!status.ok()) PostAbort(memory->header(), rank, status);
  return status;
}

}  // namespace

LocalWorld::LocalWorld(int ranks, LocalOptions options)
    : ranks_(ranks), options_(options) {
  GYRE_CHECK(ranks >= 1 && ranks <= kMaxLocalRanks, "a world of ", ranks);
}

Status LocalWorld::Run(const std::function<Status(Communicator&)>& body) {
  const auto memory = std::make_shared<LocalMemory>(ranks_);
  const WaitPolicy policy = PolicyFor(ranks_, options_.deadline_s);
  std::vector<Status> results(ranks_);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks_; ++r) {
    threads.emplace_back(
        [&, r] { results[r] = RunRank(memory, r, policy, body); });
  }
  for (std::thread& thread : threads) thread.join();
  const auto first = ReadAbort(memory->header());
  return first.has_value() ? results[first->rank] : OkStatus();
}

StatusOr<std::unique_ptr<Communicator>> MakeSingleRank() {
  const auto memory = std::make_shared<LocalMemory>(1);
  return SharedCommunicator::Join(std::make_shared<LocalSpace>(memory, 0),
                                  WaitPolicy{});
}

}  // namespace gyre

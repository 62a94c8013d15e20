#include "gyre/collectives/local/local_world.h"

#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/local/local_space.h"
#include "gyre/collectives/local/local_transport.h"
#include "gyre/collectives/membership.h"
#include "gyre/collectives/message/message_communicator.h"
#include "gyre/collectives/shared_communicator.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline collectives {
namespace {

using Body = std::function<Status(Communicator&)>;

Status RunRank(const std::shared_ptr<LocalMemory>& memory,
               int rank,
               const WaitPolicy& policy,
               const Body& body) {
  const auto space = std::make_shared<LocalSpace>(memory, rank);
  auto comm = SharedCommunicator::Join(space, policy);
  const Status status = comm.ok() ? body(**comm) : comm.status();
  if (!status.ok()) PostAbort(memory->header(), rank, status);
  return status;
}

Status RunRank(const std::shared_ptr<LocalHub>& hub,
               int rank,
               const MessageOptions& options,
               HostPlacement placement,
               const Body& body) {
  const auto transport = std::make_shared<LocalTransport>(hub, rank);
  auto comm =
      MessageCommunicator::Join(transport, options, std::move(placement));
  const Status status = comm.ok() ? body(**comm) : comm.status();
  if (!status.ok()) hub->Abort(rank, status);
  return status;
}

// Memory for each made-up host, and this rank's view of its own.
std::vector<HostPlacement> PlaceAll(const std::vector<int>& hosts, int ranks) {
  std::vector<HostPlacement> placements(ranks);
  std::map<int, std::vector<int>> by_host;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    by_host[hosts[r]].push_back(static_cast<int>(r));
  }
  for (const auto& [host, members] : by_host) {
    const auto memory =
        std::make_shared<LocalMemory>(static_cast<int>(members.size()));
    for (std::size_t l = 0; l < members.size(); ++l) {
      placements[members[l]] = {
          hosts, std::make_shared<LocalSpace>(memory, static_cast<int>(l))};
    }
  }
  return placements;
}

// The results of `run` on each rank.
std::vector<Status> RunAll(int ranks, const std::function<Status(int)>& run) {
  std::vector<Status> results(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] { results[r] = run(r); });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace

LocalWorld::LocalWorld(int ranks, LocalOptions options)
    : ranks_(ranks), options_(options) {
  GYRE_CHECK(ranks >= 1 && ranks <= kMaxLocalRanks, "a world of ", ranks);
}

Status LocalWorld::Run(const Body& body) {
  const WaitPolicy policy = PolicyFor(ranks_, options_.deadline_s);
  if (options_.messages.has_value()) {
    const auto hub = std::make_shared<LocalHub>(ranks_, policy);
    const auto placements = PlaceAll(options_.hosts, ranks_);
    const auto results = RunAll(ranks_, [&](int r) {
      return RunRank(hub, r, *options_.messages, placements[r], body);
    });
    const auto first = hub->failed();
    return first.has_value() ? results[*first] : OkStatus();
  }
  const auto memory = std::make_shared<LocalMemory>(ranks_);
  const auto results =
      RunAll(ranks_, [&](int r) { return RunRank(memory, r, policy, body); });
  const auto first = ReadAbort(memory->header());
  return first.has_value() ? results[first->rank] : OkStatus();
}

StatusOr<std::unique_ptr<Communicator>> MakeSingleRank() {
  const auto memory = std::make_shared<LocalMemory>(1);
  return SharedCommunicator::Join(std::make_shared<LocalSpace>(memory, 0),
                                  WaitPolicy{});
}

}  // namespace gyre::internal::inline collectives

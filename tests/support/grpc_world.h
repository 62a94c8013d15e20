// Ranks as forked processes of a test that reach each other by gRPC, at
// addresses that are known before: no roster.
//
//   GrpcWorld world(2);
//   world.Start([](const std::shared_ptr<Transport>& transport) -> Status { ...
//   });
//
// RunGrpc gives each rank a communicator instead.

#ifndef GYRE_TESTS_SUPPORT_GRPC_WORLD_H_
#define GYRE_TESTS_SUPPORT_GRPC_WORLD_H_

#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gyre/collectives/grpc/grpc_transport.h"
#include "gyre/collectives/message/message_communicator.h"
#include "tests/support/fork_ranks.h"

namespace gyre::internal::inline tests {

class GrpcWorld {
 public:
  using Body = std::function<Status(const std::shared_ptr<Transport>&)>;

  explicit GrpcWorld(int ranks, double deadline_s = 20)
      : ranks_(ranks), deadline_s_(deadline_s) {
    static int worlds = 0;
    name_ = Cat("gyre-test-", ::getpid(), "-", ++worlds, "-");
  }

  void Start(const Body& body) {
    std::vector<int> all(ranks_);
    std::iota(all.begin(), all.end(), 0);
    StartSome(all, body);
  }
  void StartSome(const std::vector<int>& ranks, const Body& body) {
    children_.Start(ranks, [&](int rank) { return RunRank(rank, body); });
  }

  ForkRanks& children() { return children_; }
  std::vector<ForkOutcome> Wait() { return children_.Wait(); }

  // The first error by rank.
  static Status Run(int ranks, const Body& body, double deadline_s = 20) {
    GrpcWorld world(ranks, deadline_s);
    world.Start(body);
    return ForkRanks::FirstError(world.Wait());
  }

  // For a test that changes something in the options of one rank.
  std::function<void(MeshOptions&)> change = [](MeshOptions&) {};
  std::function<Security(int rank)> security = [](int) { return Security(); };

 private:
  Status RunRank(int rank, const Body& body) {
    MeshOptions options;
    options.rank = rank;
    options.token = "test";
    options.deadline_ns = static_cast<std::int64_t>(deadline_s_ * 1e9);
    for (int r = 0; r < ranks_; ++r) {
      options.peers.push_back({Cat("unix-abstract:", name_, r), ""});
    }
    change(options);
    GYRE_ASSIGN_OR_RETURN(
        auto endpoint,
        Endpoint::Listen(options.peers[rank].target, security(rank)));
    GYRE_ASSIGN_OR_RETURN(
        const std::shared_ptr<Transport> transport,
        GrpcTransport::Connect(std::move(options), std::move(endpoint)));
    const Status status = body(transport);
    if (!status.ok()) transport->Abort(status);
    return status;
  }

  int ranks_;
  double deadline_s_;
  std::string name_;
  ForkRanks children_;
};

inline Status RunGrpc(int ranks,
                      const std::function<Status(Communicator&)>& body,
                      double deadline_s = 20) {
  const auto run = [&](const std::shared_ptr<Transport>& transport) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    return body(*comm);
  };
  return GrpcWorld::Run(ranks, run, deadline_s);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_GRPC_WORLD_H_

// Ranks over gRPC that die, stop, leave, fork or are strangers.

#include "gyre/collectives/grpc/peer_mesh.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gyre/collectives/grpc/credentials.h"
#include "gyre/core/exit_code.h"
#include "tests/support/grpc_world.h"

namespace gyre::internal::inline tests {
namespace {

using SharedTransportPeerMesh = std::shared_ptr<Transport>;

Status Sum(Communicator& comm, const char* label) {
  float x = 1;
  return comm.AllReduce(
      &x, &x, 1, DType::kF32, ReduceOp::kSum, {.label = label});
}

// Collectives, until one fails.
Status SumForever(Communicator& comm) {
  for (int i = 0; i < 1'000'000; ++i) {
    GYRE_RETURN_IF_ERROR(Sum(comm, "loop"));
  }
  return InternalError("it went on for ever");
}

void ExpectError(const ForkOutcome& end,
                 int code,
                 const std::vector<std::string>& parts) {
  EXPECT_EQ(end.exit_code, code) << end.message;
  for (const std::string& part : parts) {
    EXPECT_NE(end.message.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << end.message;
  }
}

TEST(PeerMesh, AKilledRankIsNamedOnAllOthersAtOnce) {
  ForkEvent going;
  GrpcWorld world(4);
  world.Start([&](const SharedTransportPeerMesh& transport) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    GYRE_RETURN_IF_ERROR(Sum(*comm, "first"));
    if (transport->rank() == 0) going.Set();
    return SumForever(*comm);
  });
  ASSERT_TRUE(going.Wait());
  world.children().Signal(2, SIGKILL);
  const Stopwatch since;
  const auto ends = world.Wait();
  EXPECT_LT(since.Seconds(), 5);  // and not at the deadline of 20 s
  EXPECT_EQ(ends[2].signal, SIGKILL);
  for (const int r : {0, 1, 3}) {
    ExpectError(ends[r], kExitPeer, {"rank 2 is lost", "all_reduce #"});
  }
}

TEST(PeerMesh, AStoppedRankIsLateAndDescribed) {
  ForkEvent stopped;
  ForkEvent entered;
  GrpcWorld world(3, /*deadline_s=*/0.7);
  world.Start([&](const SharedTransportPeerMesh& transport) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    comm->SetActivity(412, "forward");
    GYRE_RETURN_IF_ERROR(Sum(*comm, "first"));
    if (transport->rank() == 1) {
      entered.Set();
      ::raise(SIGSTOP);
      return OkStatus();
    }
    stopped.Wait();
    return Sum(*comm, "gradients");
  });
  ASSERT_TRUE(entered.Wait());
  ::usleep(50'000);
  stopped.Set();
  const auto ends = world.children().WaitForRanks({0, 2});
  for (const ForkOutcome& end : ends) {
    ExpectError(end,
                kExitPeer,
                {"rank 1 has not entered all_reduce",
                 "(gradients) after 0.7",
                 "last seen in step 412, forward"});
  }
  world.children().Signal(1, SIGKILL);
}

TEST(PeerMesh, RanksMayLeaveAtDifferentTimes) {
  GrpcWorld world(4);
  world.Start([&](const SharedTransportPeerMesh& transport) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    // The last collective is still on its way when its sender leaves.
    std::vector<float> data(100'000);
    if (transport->rank() == 3) ::usleep(100'000);
    GYRE_RETURN_IF_ERROR(
        comm->Broadcast(data.data(), data.size(), DType::kF32, 0, {}));
    ::usleep(transport->rank() * 50'000);
    return OkStatus();
  });
  for (const ForkOutcome& end : world.Wait()) {
    EXPECT_EQ(end.exit_code, 0) << end.message;
    EXPECT_LT(end.seconds, 10);
  }
}

TEST(PeerMesh, AbortReachesRanksThatWaitForOthers) {
  GrpcWorld world(4);
  world.Start([&](const SharedTransportPeerMesh& transport) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    if (transport->rank() == 1) return DataError("the file x is damaged");
    if (transport->rank() == 2) ::sleep(1);
    return SumForever(*comm);
  });
  const auto ends = world.Wait();
  ExpectError(ends[1], kExitData, {"the file x is damaged"});
  for (const int r : {0, 2, 3}) {
    ExpectError(ends[r], kExitPeer, {"rank 1 gave up: the file x is damaged"});
  }
}

TEST(PeerMesh, AForkedProcessIsToldThatItCannot) {
  const Status status =
      GrpcWorld::Run(2, [](const SharedTransportPeerMesh& transport) {
        auto comm = MessageCommunicator::Join(transport, {});
        if (!comm.ok()) return comm.status();
        const pid_t child = ::fork();
        if (child == 0) {
          const Status sum = Sum(**comm, "in the child");
          const bool told =
              Message(sum).find("was forked off rank") != std::string::npos;
          ::_exit(told ? 0 : 1);
        }
        int state = 0;
        ::waitpid(child, &state, 0);
        if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
          return InternalError("the child was not told");
        }
        return Sum(**comm, "in the parent");
      });
  EXPECT_EQ(status, OkStatus());
}

TEST(PeerMesh, AnotherTokenIsRefused) {
  GrpcWorld world(2, /*deadline_s=*/1);
  world.change = [](MeshOptions& options) {
    if (options.rank == 1) options.token = "another";
  };
  world.Start([](const SharedTransportPeerMesh&) { return OkStatus(); });
  const auto ends = world.Wait();
  ExpectError(ends[0], kExitPeer, {"rank 1 did not connect"});
  ExpectError(ends[1], kExitPeer, {"run token differs"});
}

class TlsTest : public testing::Test {
 protected:
  // Rank 1 has a certificate of another authority, if `stranger`.
  std::vector<ForkOutcome> RunTls(bool stranger) {
    const auto ours = MakeRunIdentity();
    const auto other = MakeRunIdentity();
    EXPECT_TRUE(ours.ok() && other.ok());
    GrpcWorld world(2, /*deadline_s=*/stranger ? 2 : 20);
    world.security = [&](int rank) {
      return MakeSecurity(stranger && rank == 1 ? *other : *ours);
    };
    world.Start([](const SharedTransportPeerMesh& transport) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto comm,
                            MessageCommunicator::Join(transport, {}));
      return Sum(*comm, "secured");
    });
    return world.Wait();
  }
};

TEST_F(TlsTest, RanksOfOneAuthorityTalk) {
  for (const ForkOutcome& end : RunTls(false)) {
    EXPECT_EQ(end.exit_code, 0) << end.message;
  }
}

TEST_F(TlsTest, OthersAreKeptOut) {
  for (const ForkOutcome& end : RunTls(true)) {
    EXPECT_EQ(end.exit_code, kExitPeer) << end.message;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

// JoinWorld for ranks that somebody else's launcher has started.

#include "gyre/collectives/network_world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "gyre/collectives/world.h"
#include "gyre/core/exit_code.h"
#include "tests/support/fork_ranks.h"
#include "tests/support/free_port.h"

namespace gyre::internal::inline tests {
namespace {

using Variables = std::map<std::string, std::string>;

// As torchrun sets them.
EnvReader Rank(int rank,
               int size,
               const std::string& host,
               int port,
               const Variables& more) {
  Variables variables = {{"RANK", Cat(rank)},
                         {"WORLD_SIZE", Cat(size)},
                         {"LOCAL_RANK", Cat(rank)},
                         {"LOCAL_WORLD_SIZE", Cat(size)},
                         {"GYRE_COORDINATOR", Cat(host, ":", port)},
                         {"GYRE_RUN_TOKEN", "a token"},
                         {"MASTER_ADDR", host},
                         {"MASTER_PORT", Cat(port)}};
  for (const auto& [name, value] : more) variables[name] = value;
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

std::vector<ForkOutcome> RunRanks(int size,
                                  const std::string& host,
                                  const Variables& more,
                                  const std::string& backend) {
  const int port = FreePort();
  std::vector<int> all;
  for (int r = 0; r < size; ++r) all.push_back(r);
  ForkRanks ranks;
  ranks.Start(all, [&](int rank) -> Status {
    GYRE_ASSIGN_OR_RETURN(
        const auto world,
        JoinWorld(
            {.deadline_s = 20, .env = Rank(rank, size, host, port, more)}));
    if (world->comm().backend() != backend) {
      return InternalError("it talks by ", world->comm().backend());
    }
    std::vector<std::int64_t> data(70'000, rank);
    GYRE_RETURN_IF_ERROR(world->comm().AllReduce(data.data(),
                                                 data.data(),
                                                 data.size(),
                                                 DType::kI64,
                                                 ReduceOp::kSum,
                                                 {}));
    for (const std::int64_t x : data) {
      if (x != size * (size - 1) / 2) return InternalError("sum ", x);
    }
    return OkStatus();
  });
  return ranks.Wait();
}

TEST(NetworkWorld, RanksOfOneHostShareMemory) {
  EXPECT_EQ(ForkRanks::FirstError(RunRanks(3, "127.0.0.1", {}, "shm")),
            OkStatus());
}

TEST(NetworkWorld, TheWayToTalkCanBeChosen) {
  for (const char* way : {"grpc", "two-level"}) {
    EXPECT_EQ(ForkRanks::FirstError(
                  RunRanks(3, "127.0.0.1", {{"GYRE_COLLECTIVES", way}}, way)),
              OkStatus());
  }
}

TEST(NetworkWorld, NamesAndOtherFamiliesDo) {
  for (const char* host : {"localhost", "[::1]"}) {
    EXPECT_EQ(ForkRanks::FirstError(
                  RunRanks(2, host, {{"GYRE_COLLECTIVES", "grpc"}}, "grpc")),
              OkStatus());
  }
}

TEST(NetworkWorld, OfAProxyNothingIsAsked) {
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"}) {
    ::setenv(name, "http://127.0.0.1:9", 1);
  }
  const auto ends =
      RunRanks(2, "127.0.0.1", {{"GYRE_COLLECTIVES", "grpc"}}, "grpc");
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(ForkRanks::FirstError(ends), OkStatus());
}

TEST(NetworkWorld, OtherAddressesNeedCertificatesOrAWord) {
  const auto ends = RunRanks(2, "192.0.2.1", {}, "shm");
  for (const ForkOutcome& end : ends) {
    EXPECT_EQ(end.exit_code, kExitUsage);
    EXPECT_NE(end.message.find("--insecure"), std::string::npos) << end.message;
  }
}

TEST(NetworkWorld, WrongChoicesAreUsageErrors) {
  for (const char* way : {"mpi", "local", "smoke"}) {
    for (const ForkOutcome& end :
         RunRanks(2, "127.0.0.1", {{"GYRE_COLLECTIVES", way}}, way)) {
      EXPECT_EQ(end.exit_code, kExitUsage) << way << end.message;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

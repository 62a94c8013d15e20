// `gyre launch` with ranks that talk over gRPC: what it prints, returns and
// leaves.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "gyre/core/exit_code.h"
#include "tests/support/command.h"
#include "tests/support/deaf_listener.h"
#include "tests/support/free_port.h"

namespace gyre::internal::inline tests {
namespace {

Command Launch(int ranks,
               const std::vector<std::string>& options,
               const std::vector<std::string>& probe) {
  std::vector<std::string> arguments = {
      GYRE_COMMAND, "launch", "-n", Cat(ranks)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", GYRE_PROBE});
  arguments.insert(arguments.end(), probe.begin(), probe.end());
  return Command(arguments);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Sockets of the run token's name that somebody still holds.
int OpenSockets() {
  std::ifstream sockets("/proc/net/unix");
  int count = 0;
  for (std::string line; std::getline(sockets, line);) {
    count += Contains(line, "@gyre-") && !Contains(line, "@gyre-test-") &&
             !Contains(line, "@gyre-meeting-");
  }
  return count;
}

TEST(LaunchNetworkTest, RanksTalkAsTheyAreTold) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--collectives", "grpc"},
        std::vector<std::string>{"--collectives", "grpc", "--tls", "auto"},
        std::vector<std::string>{"--collectives", "two-level"},
        std::vector<std::string>{"--collectives", "shm"},
        std::vector<std::string>{
            "--collectives",
            "grpc",
            "--env",
            Cat("GYRE_COORDINATOR=127.0.0.1:", FreePort())}}) {
    const Result result = Launch(4, options, {"sum"}).Finish();
    EXPECT_EQ(result.code, kExitDone) << result.text;
    EXPECT_TRUE(Contains(result.text, "[3] rank 3 of 4")) << result.text;
    EXPECT_FALSE(Contains(result.text, "error")) << result.text;
  }
}

TEST(LaunchNetworkTest, TheRankThatFailsIsNamedOverGrpcToo) {
  const Result result =
      Launch(3, {"--collectives", "grpc"}, {"data", "1"}).Finish();
  EXPECT_EQ(result.code, kExitData) << result.text;
  EXPECT_TRUE(Contains(result.text, "rank 1: the file is damaged"))
      << result.text;
}

TEST(LaunchNetworkTest, ACrashIsNamedAndNothingIsLeft) {
  const Result result =
      Launch(4, {"--collectives", "grpc"}, {"crash", "2"}).Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_TRUE(Contains(result.text, "rank 2 was killed by signal 9"))
      << result.text;
  EXPECT_TRUE(Contains(result.text, "rank 2 is lost")) << result.text;
  EXPECT_LT(result.seconds, 20);
  for (int i = 0; i < 100 && OpenSockets() > 0; ++i) ::usleep(50'000);
  EXPECT_EQ(OpenSockets(), 0);
}

TEST(LaunchNetworkTest, ATakenPortEndsTheRun) {
  const DeafListener other;
  const Result result =
      Launch(2,
             {"--collectives",
              "grpc",
              "--env",
              Cat("GYRE_COORDINATOR=127.0.0.1:", other.port())},
             {"sum"})
          .Finish();
  EXPECT_EQ(result.code, kExitUsage) << result.text;
  EXPECT_TRUE(Contains(
      result.text,
      Cat("rank 0 cannot listen at 127.0.0.1:", other.port(), ": the port")))
      << result.text;
}

TEST(LaunchNetworkTest, BadWordsAreUsageErrors) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--collectives", "smoke"},
        std::vector<std::string>{
            "--tls", "/nowhere.pem", "--collectives", "grpc"},
        std::vector<std::string>{"--collectives"}}) {
    const Result result = Launch(2, options, {"sum"}).Finish();
    EXPECT_EQ(result.code, kExitUsage) << result.text;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

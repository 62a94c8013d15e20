// Ranks on two hosts, which are network namespaces joined by a virtual cable.
// Skipped where namespaces may not be made.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/tls_identity.h"
#include "gyre/core/exit_code.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

bool ShellTwoHosts(const std::string& command) {
  return std::system(Cat(command, " >/dev/null 2>&1").c_str()) == 0;
}

bool ContainsTwoHosts(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two namespaces, a and b, with 10.77.1.1 and 10.77.1.2.
class TwoHostsTest : public testing::Test {
 protected:
  void SetUp() override {
    bool made = true;
    for (const char* host : {"a", "b"}) {
      made = made && ShellTwoHosts(Cat("ip netns add ", Name(host))) &&
             ShellTwoHosts(Cat(In(host), "ip link set lo up"));
    }
    made = made &&
           ShellTwoHosts(Cat("ip link add name gy0 netns ",
                             Name("a"),
                             " type veth peer name gy1 netns ",
                             Name("b"))) &&
           ShellTwoHosts(Cat(In("a"), "ip addr add 10.77.1.1/24 dev gy0")) &&
           ShellTwoHosts(Cat(In("b"), "ip addr add 10.77.1.2/24 dev gy1")) &&
           ShellTwoHosts(Cat(In("a"), "ip link set gy0 up")) &&
           ShellTwoHosts(Cat(In("b"), "ip link set gy1 up"));
    if (!made) {
      GTEST_SKIP() << "network namespaces cannot be made here (it takes root "
                      "and iproute2)";
    }
  }
  void TearDown() override {
    for (const char* host : {"a", "b"}) {
      ShellTwoHosts(Cat("ip netns del ", Name(host)));
    }
  }

  static std::string Name(const std::string& host) {
    return Cat("gyre-", ::getpid(), "-", host);
  }
  static std::string In(const std::string& host) {
    return Cat("ip netns exec ", Name(host), " ");
  }

  // Starts four ranks of the probe, two on each host; `variables` as a shell
  // reads them. Each prints "code of R: C" at its end.
  static Command Ranks(const std::string& variables,
                       const std::string& probe,
                       const std::string& all = "0 1 2 3") {
    const std::string script =
        Cat("for r in ",
            all,
            "; do ( if [ $r -lt 2 ]; then h=",
            Name("a"),
            "; else h=",
            Name("b"),
            "; fi; GYRE_RANK=$r GYRE_WORLD_SIZE=4 ",
            "GYRE_RUN_TOKEN=secret GYRE_COORDINATOR=10.77.1.1:29477 ",
            variables,
            " ip netns exec $h ",
            GYRE_PROBE,
            " ",
            probe,
            "; echo \"code of $r: $?\" ) & done; wait");
    return Command({"/bin/sh", "-c", script});
  }

  static void ExpectCodes(const Result& result, int code) {
    for (int r = 0; r < 4; ++r) {
      EXPECT_TRUE(
          ContainsTwoHosts(result.text, Cat("code of ", r, ": ", code, "\n")))
          << result.text;
    }
  }
};

TEST_F(TwoHostsTest, HostsAreToldApartAndTalk) {
  const Result result = Ranks("GYRE_INSECURE=1", "backend").Finish();
  ExpectCodes(result, kExitDone);
  EXPECT_TRUE(ContainsTwoHosts(result.text, "backend two-level"))
      << result.text;
  const Result grpc =
      Ranks("GYRE_INSECURE=1 GYRE_COLLECTIVES=grpc", "backend").Finish();
  ExpectCodes(grpc, kExitDone);
  EXPECT_TRUE(ContainsTwoHosts(grpc.text, "backend grpc")) << grpc.text;
}

TEST_F(TwoHostsTest, WithoutCertificatesOrAWordNothingIsSent) {
  const Result result = Ranks("", "sum").Finish();
  ExpectCodes(result, kExitUsage);
  EXPECT_TRUE(ContainsTwoHosts(result.text, "--insecure")) << result.text;
}

TEST_F(TwoHostsTest, CertificatesSecureThem) {
  const TempDir dir;
  const auto identity = MakeRunIdentity();
  ASSERT_TRUE(identity.ok());
  std::ofstream(dir / "run.pem") << Bundle(*identity);
  ExpectCodes(Ranks(Cat("GYRE_TLS=", dir / "run.pem"), "sum").Finish(),
              kExitDone);
}

TEST_F(TwoHostsTest, SharedMemoryAcrossHostsIsAnErrorOnAll) {
  const Result result =
      Ranks("GYRE_INSECURE=1 GYRE_COLLECTIVES=shm", "sum").Finish();
  ExpectCodes(result, kExitUsage);
  EXPECT_TRUE(ContainsTwoHosts(result.text, "are not on one host"))
      << result.text;
}

TEST_F(TwoHostsTest, ACutCableIsFoundAtTheDeadline) {
  Command ranks = Ranks("GYRE_INSECURE=1 GYRE_DEADLINE_S=2", "loop");
  ASSERT_TRUE(ranks.WaitFor("pid ", 4));
  ASSERT_TRUE(ShellTwoHosts(Cat(In("a"), "ip link set gy0 down")));
  const Result result = ranks.Finish();
  ExpectCodes(result, kExitPeer);
  EXPECT_LT(result.seconds, 30);
}

}  // namespace
}  // namespace gyre::internal::inline tests

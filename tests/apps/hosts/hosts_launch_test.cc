// `gyre launch --hosts` with a stand-in for ssh (any user), and with network
// namespaces as hosts (root).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Two hosts that are this one: what ssh does with a command, without ssh.
class HostsLaunchTest : public testing::Test {
 protected:
  HostsLaunchTest() {
    std::ofstream(dir_ / "rsh") << "#!/bin/sh\nshift\nexec sh -c \"$*\"\n";
    ::chmod((dir_ / "rsh").c_str(), 0755);
    std::ofstream(dir_ / "hosts") << "a slots=2 address=127.0.0.1\n"
                                  << "b slots=2 address=127.0.0.1\n";
  }

  Command Launch(const std::vector<std::string>& probe,
                 const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {GYRE_COMMAND,
                                      "launch",
                                      "--hosts",
                                      dir_ / "hosts",
                                      "--rsh",
                                      rsh_.empty() ? dir_ / "rsh" : rsh_};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", GYRE_PROBE});
    words.insert(words.end(), probe.begin(), probe.end());
    return Command(words);
  }

  TempDir dir_;
  std::string rsh_;
};

bool SoonGone(pid_t pid) {
  for (const Stopwatch clock; clock.Seconds() < 20; ::usleep(2000)) {
    std::ifstream stat(Cat("/proc/", pid, "/stat"));
    std::string text;
    if (!std::getline(stat, text)) return true;
    const std::size_t state = text.rfind(") ");
    if (state != std::string::npos && text[state + 2] == 'Z') return true;
  }
  return false;
}

TEST_F(HostsLaunchTest, RanksOfAllHostsAreOneWorld) {
  const Result result =
      Launch({"env"}, {"--env", "PROBE_EXTRA=it's \"x\""}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  for (int r = 0; r < 4; ++r) {
    EXPECT_THAT(result.text, HasSubstr(Cat("[", r, "] rank ", r, " of 4")));
    EXPECT_THAT(result.text,
                HasSubstr(Cat("[", r, "] threads 1, extra it's \"x\"")));
  }
}

TEST_F(HostsLaunchTest, TheHostThatFailedIsNamedWithItsCode) {
  const Result result = Launch({"data", "3"}).Finish();
  EXPECT_EQ(result.code, kExitData) << result.text;
  EXPECT_THAT(result.text, HasSubstr("gyre launch on b: rank 3 failed with"));
  EXPECT_THAT(result.text, HasSubstr("gyre launch: host b failed with exit"));
}

TEST_F(HostsLaunchTest, ARankThatIsKilledEndsAllOnAllHosts) {
  Command command = Launch({"loop"});
  ASSERT_TRUE(command.WaitFor("pid ", 4));
  ASSERT_TRUE(command.WaitFor("rank 0 of 4"));
  const pid_t survivor = command.RankPid(0);
  ::kill(command.RankPid(2), SIGKILL);
  const Result result = command.Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_THAT(result.text, HasSubstr("rank 2 was killed by signal 9"));
  EXPECT_THAT(result.text, HasSubstr("rank 2 is lost"));
  EXPECT_TRUE(SoonGone(survivor));
}

TEST_F(HostsLaunchTest, DeafRanksAreKilledOnTheirHosts) {
  const Result result =
      Launch({"hang", "1"}, {"--deadline", "0.5", "--grace", "0.2"}).Finish();
  EXPECT_EQ(result.code, kExitPeer) << result.text;
  EXPECT_LT(result.seconds, 30);
}

TEST_F(HostsLaunchTest, SignalsGoOnToAllHosts) {
  Command command = Launch({"loop"});
  ASSERT_TRUE(command.WaitFor("pid ", 4));
  ::kill(command.pid(), SIGTERM);
  const Result result = command.Finish();
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.text;
}

TEST_F(HostsLaunchTest, NothingStaysWhenTheLauncherIsKilled) {
  Command command = Launch({"hang", "3"});
  ASSERT_TRUE(command.WaitFor("pid ", 4));
  ASSERT_TRUE(command.WaitFor("rank 3 of 4"));
  const pid_t deaf = command.RankPid(3);
  ::kill(command.pid(), SIGKILL);
  EXPECT_TRUE(SoonGone(deaf));
}

TEST_F(HostsLaunchTest, LostHostsAreStartedAgain) {
  const Result result =
      Launch({"flaky", "3"}, {"--max-restarts", "3"}).Finish();
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("restart 2 of 3"));
}

TEST_F(HostsLaunchTest, MistakesAreNamed) {
  rsh_ = "no_such_shell";
  const Result shell = Launch({"sum"}).Finish();
  EXPECT_EQ(shell.code, kExitUsage);
  EXPECT_THAT(shell.text, HasSubstr("no program no_such_shell"));
  rsh_ = "/bin/false";
  const Result unreachable = Launch({"sum"}).Finish();
  EXPECT_EQ(unreachable.code, 1) << unreachable.text;
  // Neither can be reached: either may be the first.
  EXPECT_THAT(unreachable.text,
              testing::ContainsRegex("host [ab] failed with exit code 1"));
  rsh_ = "";
  const Result many = Launch({"sum"}, {"-n", "5"}).Finish();
  EXPECT_EQ(many.code, kExitUsage);
  EXPECT_THAT(many.text, HasSubstr("5 ranks, but the hosts have 4 slots"));
  const Result none = RunCommand(
      {GYRE_COMMAND, "launch", "--hosts", "/nonexistent", "--", GYRE_PROBE});
  EXPECT_EQ(none.code, kExitUsage);
  EXPECT_THAT(none.text, HasSubstr("/nonexistent"));
}

// Two network namespaces with a cable between them.
class Namespaces {
 public:
  Namespaces()
      : a_(Cat("gyre", ::getpid(), "a")), b_(Cat("gyre", ::getpid(), "b")) {
    good_ = Ip({"netns", "add", a_}) && Ip({"netns", "add", b_}) &&
            Ip({"link",
                "add",
                "v0",
                "netns",
                a_,
                "type",
                "veth",
                "peer",
                "name",
                "v0",
                "netns",
                b_});
    int host = 1;
    for (const std::string& name : {a_, b_}) {
      good_ = good_ &&
              Ip({"-n",
                  name,
                  "addr",
                  "add",
                  Cat("10.98.7.", host, "/24"),
                  "dev",
                  "v0"}) &&
              Ip({"-n", name, "link", "set", "v0", "up"}) &&
              Ip({"-n", name, "link", "set", "lo", "up"});
      ++host;
    }
  }
  ~Namespaces() {
    Ip({"netns", "del", a_});
    Ip({"netns", "del", b_});
  }
  bool good() const { return good_; }
  std::string HostFile() const {
    return Cat(
        a_, " slots=2 address=10.98.7.1\n", b_, " slots=2 address=10.98.7.2\n");
  }

 private:
  static bool Ip(std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "ip"});
    return RunCommand(words).code == 0;
  }

  std::string a_;
  std::string b_;
  bool good_ = false;
};

TEST_F(HostsLaunchTest, HostsWithNetworksOfTheirOwn) {
  const Namespaces hosts;
  if (!hosts.good()) GTEST_SKIP() << "no right to make network namespaces";
  std::ofstream(dir_ / "hosts") << hosts.HostFile();
  rsh_ = "ip netns exec";
  for (const std::string trust : {"--insecure", "--tls=auto"}) {
    const Result result = Launch({"sum"}, {trust}).Finish();
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_THAT(result.text, HasSubstr("[3] rank 3 of 4"));
  }
  const Result refused = Launch({"sum"}).Finish();
  EXPECT_EQ(refused.code, kExitUsage);
  EXPECT_THAT(refused.text, HasSubstr("connections need certificates"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

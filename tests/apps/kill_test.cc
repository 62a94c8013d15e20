// Ranks, or the launcher itself, killed at random moments: whatever happens,
// it ends, and nothing stays behind.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gyre/core/clock.h"
#include "tests/support/command.h"
#include "tests/support/shared_files.h"

namespace gyre::internal::inline tests {
namespace {

// All processes that carry `mark` in their environment.
std::vector<pid_t> Marked(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

// The ends of orphans are not ours to wait for; they are a matter of moments.
bool AllGone(const std::string& mark) {
  for (const Stopwatch clock; clock.Seconds() < 20; ::usleep(2000)) {
    if (Marked(mark).empty()) return true;
  }
  return false;
}

TEST(KillTest, RandomKillsLeaveNothingBehind) {
  const int kills = std::getenv("GYRE_LONG_TESTS") != nullptr ? 100 : 12;
  const std::set<std::string> files = SharedFiles();
  std::mt19937 random(1996);
  for (int i = 0; i < kills; ++i) {
    const std::string mark = Cat("PROBE_MARK=", ::getpid(), "-", i, ".");
    Command command({GYRE_COMMAND,
                     "launch",
                     "-n",
                     "4",
                     "--env",
                     mark,
                     "--",
                     GYRE_PROBE,
                     "loop"});
    // Before, while and after they join, or amid collectives.
    ::usleep(random() % 60'000);
    std::vector<pid_t> ranks = Marked(mark);
    const bool launcher = ranks.empty() || random() % 5 == 0;
    const pid_t victim =
        launcher ? command.pid() : ranks[random() % ranks.size()];
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    const Result result = command.Finish();
    EXPECT_NE(result.code, 0) << "kill " << i << ": " << result.text;
    EXPECT_LT(result.seconds, 30) << "kill " << i;
    EXPECT_TRUE(AllGone(mark))
        << "kill " << i << ", " << Marked(mark).size() << " left";
  }
  EXPECT_EQ(SharedFiles(), files);
}

}  // namespace
}  // namespace gyre::internal::inline tests

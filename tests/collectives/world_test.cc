#include "gyre/collectives/world.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>

#include "gyre/collectives/shm/shm_space.h"
#include "gyre/core/exit_code.h"

namespace gyre::internal::inline tests {
namespace {

EnvReader RankWorld(int rank, int size, int fd, const std::string& token) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : LaunchVariables({rank, size, fd, token})) {
    variables[name] = value;
  }
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

EnvReader Nothing() {
  return [](const std::string&) { return std::nullopt; };
}

TEST(WorldTest, StartedByHandItIsAWorldOfOne) {
  const auto world = JoinWorld({.deadline_s = {}, .env = Nothing()});
  ASSERT_TRUE(world.ok()) << world.status();
  EXPECT_EQ((*world)->size(), 1);
  EXPECT_EQ((*world)->rank(), 0);
  EXPECT_EQ((*world)->comm().backend(), "local");
  EXPECT_EQ((*world)->launched_by(), "");
  double x = 3;
  EXPECT_TRUE((*world)
                  ->comm()
                  .AllReduce(&x, &x, 1, DType::kF64, ReduceOp::kMean, {})
                  .ok());
  EXPECT_EQ(x, 3);
}

TEST(WorldTest, RanksOfALaunchMeet) {
  const auto file = CreateShmWorld(2, "token");
  ASSERT_TRUE(file.ok());
  pid_t children[2];
  for (int r = 0; r < 2; ++r) {
    children[r] = ::fork();
    if (children[r] != 0) continue;
    const auto world =
        JoinWorld({.deadline_s = 20,
                   .env = RankWorld(r, 2, ::dup(file->get()), "token")});
    std::int32_t x = r + 1;
    const bool good =
        world.ok() && (*world)->launched_by() == "gyre launch" &&
        (*world)->comm().backend() == "shm" && (*world)->rank() == r &&
        (*world)
            ->comm()
            .AllReduce(&x, &x, 1, DType::kI32, ReduceOp::kProd, {})
            .ok() &&
        x == 2;
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int state = 0;
    ::waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
}

TEST(WorldTest, BadOptionsAndEnvironmentsAreUsageErrors) {
  const auto file = CreateShmWorld(2, "token");
  ASSERT_TRUE(file.ok());
  const auto dup = [&] { return ::dup(file->get()); };
  const WorldOptions bad[] = {
      {.deadline_s = 0, .env = Nothing()},
      {.deadline_s = -1, .env = Nothing()},
      {.deadline_s = 1, .env = RankWorld(0, 2, 1000, "token")},
      {.deadline_s = 1, .env = RankWorld(0, 2, dup(), "another token")},
      {.deadline_s = 1, .env = RankWorld(0, 3, dup(), "token")}};
  for (const WorldOptions& options : bad) {
    const auto world = JoinWorld(options);
    ASSERT_FALSE(world.ok());
    EXPECT_EQ(ExitCodeOf(world.status()), kExitUsage) << world.status();
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

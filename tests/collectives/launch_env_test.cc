#include "collectives/launch_env.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gyre {
namespace {

using Variables = std::map<std::string, std::string>;

EnvReader From(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

Variables Good() {
  return {{"GYRE_RANK", "2"},
          {"GYRE_WORLD_SIZE", "4"},
          {"GYRE_SHM_FD", "5"},
          {"GYRE_RUN_TOKEN", "abc"}};
}

TEST(LaunchEnvTest, NothingMeansNotLaunched) {
  const auto launch = ReadLaunchEnv(From({{"GYRE_DEADLINE_S", "3"}}));
  ASSERT_TRUE(launch.ok());
  EXPECT_FALSE(launch->has_value());
}

TEST(LaunchEnvTest, ReadsWhatLaunchVariablesWrites) {
  Variables variables;
  for (const auto& [name, value] : LaunchVariables({2, 4, 5, "abc"})) {
    variables[name] = value;
  }
  EXPECT_EQ(variables, Good());
  const auto launch = ReadLaunchEnv(From(variables));
  ASSERT_TRUE(launch.ok() && launch->has_value());
  EXPECT_EQ((*launch)->rank, 2);
  EXPECT_EQ((*launch)->size, 4);
  EXPECT_EQ((*launch)->shm_fd, 5);
  EXPECT_EQ((*launch)->token, "abc");
}

TEST(LaunchEnvTest, AMissingVariableIsNamed) {
  for (const auto& [name, value] : Good()) {
    Variables variables = Good();
    variables.erase(name);
    const auto launch = ReadLaunchEnv(From(variables));
    ASSERT_FALSE(launch.ok());
    EXPECT_EQ(KindOf(launch.status()), ErrorKind::kConfig);
    EXPECT_EQ(Message(launch.status()).rfind(name + " is not set", 0), 0u)
        << launch.status();
  }
}

TEST(LaunchEnvTest, BadValuesAreNamed) {
  const Variables bad[] = {{{"GYRE_RANK", "4"}},
                           {{"GYRE_RANK", "-1"}},
                           {{"GYRE_RANK", "two"}},
                           {{"GYRE_RANK", ""}},
                           {{"GYRE_WORLD_SIZE", "0"}},
                           {{"GYRE_WORLD_SIZE", "4 "}},
                           {{"GYRE_SHM_FD", "1"}},
                           {{"GYRE_SHM_FD", "99999999999"}}};
  for (const Variables& change : bad) {
    Variables variables = Good();
    for (const auto& [name, value] : change) variables[name] = value;
    const auto launch = ReadLaunchEnv(From(variables));
    ASSERT_FALSE(launch.ok()) << change.begin()->second;
    EXPECT_NE(Message(launch.status()).find(change.begin()->first),
              std::string::npos);
  }
}

TEST(LaunchEnvTest, TheDeadline) {
  EXPECT_EQ(*ReadDeadline(From({})), kDefaultDeadlineS);
  EXPECT_EQ(*ReadDeadline(From({{"GYRE_DEADLINE_S", "2.5"}})), 2.5);
  for (const char* bad : {"", "0", "-3", "soon", "5s", "nan", "1e30"}) {
    const auto seconds = ReadDeadline(From({{"GYRE_DEADLINE_S", bad}}));
    ASSERT_FALSE(seconds.ok()) << bad;
    EXPECT_NE(Message(seconds.status()).find("GYRE_DEADLINE_S"),
              std::string::npos);
  }
}

TEST(LaunchEnvTest, TheProcessesOwnEnvironment) {
  EXPECT_TRUE(ProcessEnv("PATH").has_value());
  EXPECT_FALSE(ProcessEnv("GYRE_NO_SUCH_VARIABLE").has_value());
}

}  // namespace
}  // namespace gyre

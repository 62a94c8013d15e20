#include "gyre/collectives/launch_env.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/launch/environment.h"

namespace gyre::internal::inline tests {
namespace {

Environment Good() {
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
  Environment variables;
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
    Environment variables = Good();
    variables.erase(name);
    const auto launch = ReadLaunchEnv(From(variables));
    ASSERT_FALSE(launch.ok());
    EXPECT_EQ(KindOf(launch.status()), ErrorKind::kConfig);
    EXPECT_EQ(Message(launch.status()).rfind(name + " is not set", 0), 0u)
        << launch.status();
  }
}

TEST(LaunchEnvTest, ACoordinatorServesInPlaceOfSharedMemory) {
  Environment variables = With(Good(),
                               {{"GYRE_SHM_FD", "-"},
                                {"GYRE_COORDINATOR", "[::1]:8000"},
                                {"GYRE_LOCAL_RANK", "0"},
                                {"GYRE_LOCAL_SIZE", "2"}});
  ExpectLaunched(variables, {"gyre launch", 2, 4, 0, 2, "[::1]:8000"});
  Environment written;
  for (const auto& [name, value] :
       LaunchVariables(**ReadLaunchEnv(From(variables)))) {
    written[name] = value;
  }
  EXPECT_EQ(written, variables);
}

TEST(LaunchEnvTest, AProcessMayHostSeveralRanks) {
  const auto launch = ReadLaunchEnv(From(Good()));
  ASSERT_TRUE(launch.ok() && launch->has_value());
  EXPECT_EQ((*launch)->hosted, 1);
  Environment two = Good();
  two["GYRE_PROCESS_RANKS"] = "2";
  const auto hosting = ReadLaunchEnv(From(two));
  ASSERT_TRUE(hosting.ok() && hosting->has_value()) << hosting.status();
  EXPECT_EQ((*hosting)->hosted, 2);
  Environment written;
  for (const auto& [name, value] : LaunchVariables(**hosting)) {
    written[name] = value;
  }
  EXPECT_EQ(written, two);
  for (const char* bad : {"0", "3", "two", ""}) {
    two["GYRE_PROCESS_RANKS"] = bad;
    const auto none = ReadLaunchEnv(From(two));
    ASSERT_FALSE(none.ok()) << bad;
    EXPECT_NE(Message(none.status()).find("GYRE_PROCESS_RANKS"),
              std::string::npos);
  }
}

TEST(LaunchEnvTest, PortsOfJobs) {
  EXPECT_EQ(PortOfJob("0"), 61440);
  EXPECT_EQ(PortOfJob("8191"), 65535);
  EXPECT_EQ(PortOfJob("one"), PortOfJob("one"));
  EXPECT_NE(PortOfJob("one"), PortOfJob("two"));
  EXPECT_GE(PortOfJob("one"), 61440);
  EXPECT_LE(PortOfJob("one"), 65535);
}

TEST(LaunchEnvTest, BadValuesAreNamed) {
  const Environment bad[] = {{{"GYRE_RANK", "4"}},
                             {{"GYRE_RANK", "-1"}},
                             {{"GYRE_RANK", "two"}},
                             {{"GYRE_RANK", ""}},
                             {{"GYRE_WORLD_SIZE", "0"}},
                             {{"GYRE_WORLD_SIZE", "4 "}},
                             {{"GYRE_SHM_FD", "1"}},
                             {{"GYRE_SHM_FD", "99999999999"}}};
  for (const Environment& change : bad) {
    Environment variables = Good();
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
}  // namespace gyre::internal::inline tests

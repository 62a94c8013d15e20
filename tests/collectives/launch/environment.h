// Environments for tests of the detection.

#ifndef GYRE_TESTS_COLLECTIVES_LAUNCH_ENVIRONMENT_H_
#define GYRE_TESTS_COLLECTIVES_LAUNCH_ENVIRONMENT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "gyre/collectives/launch_env.h"

namespace gyre::internal::inline tests {

using Environment = std::map<std::string, std::string>;

inline EnvReader From(const Environment& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

// `base` with some variables changed; the value "-" removes one.
inline Environment With(Environment base, const Environment& changes) {
  for (const auto& [name, value] : changes) {
    base[name] = value;
    if (value == "-") base.erase(name);
  }
  return base;
}

// What an environment means: fields in the order of the test's table.
struct Launched {
  std::string source;
  int rank = 0;
  int size = 1;
  int local_rank = -1;
  int local_size = 0;
  std::string coordinator = {};

  friend bool operator==(const Launched&, const Launched&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Launched& l) {
    return out << l.source << ' ' << l.rank << '/' << l.size << ", local "
               << l.local_rank << '/' << l.local_size << " at "
               << l.coordinator;
  }
};

inline void ExpectLaunched(const Environment& variables,
                           const Launched& expected) {
  const auto launch = ReadLaunchEnv(From(variables));
  ASSERT_TRUE(launch.ok()) << launch.status();
  ASSERT_TRUE(launch->has_value());
  const LaunchEnv& l = **launch;
  EXPECT_EQ(
      (Launched{
          l.source, l.rank, l.size, l.local_rank, l.local_size, l.coordinator}),
      expected);
}

inline void ExpectNotLaunched(const Environment& variables) {
  const auto launch = ReadLaunchEnv(From(variables));
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_FALSE(launch->has_value()) << (*launch)->source;
}

inline void ExpectRefused(const Environment& variables,
                          const std::string& part) {
  const auto launch = ReadLaunchEnv(From(variables));
  ASSERT_FALSE(launch.ok()) << part;
  EXPECT_EQ(KindOf(launch.status()), ErrorKind::kConfig);
  EXPECT_THAT(Message(launch.status()), testing::HasSubstr(part));
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_COLLECTIVES_LAUNCH_ENVIRONMENT_H_

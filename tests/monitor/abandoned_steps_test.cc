#include "gyre/monitor/abandoned_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

std::string TextOf(const std::string& path) {
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << Message(text.status());
  return text.value_or("");
}

TEST(AbandonedSteps, AreMovedOutOfEveryRecord) {
  const TempDir dir;
  const auto run = RunDirectory::Create(dir.path() + "/run");
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(CreateDirectories(run->path() + "/ranks").ok());
  const std::string lines = "{\"step\":8}\n{\"step\":9}\n{\"step\":10}\n{\"st";
  for (const std::string& path :
       {run->metrics(), run->rank_log(0), run->rank_log(1)}) {
    ASSERT_TRUE(WriteFileAtomically(path, lines).ok());
  }
  ASSERT_TRUE(
      WriteFileAtomically(
          run->events(),
          "{\"step\":8,\"kind\":\"skip\"}\n{\"step\":9,\"kind\":\"skip\"}\n"
          "{\"step\":10,\"kind\":\"error\"}\n{\"step\":0,\"kind\":\"start\"}\n")
          .ok());
  ASSERT_TRUE(SetAsideSteps(*run, 9).ok());
  for (const std::string& path :
       {run->metrics(), run->rank_log(0), run->rank_log(1)}) {
    EXPECT_EQ(TextOf(path), "{\"step\":8}\n");
  }
  // How the run ended is kept.
  EXPECT_EQ(TextOf(run->events()),
            "{\"step\":8,\"kind\":\"skip\"}\n{\"step\":10,\"kind\":\"error\"}\n"
            "{\"step\":0,\"kind\":\"start\"}\n");
  const std::string aside = run->path() + "/abandoned/step-00000009";
  EXPECT_EQ(TextOf(aside + "/metrics.jsonl"),
            "{\"step\":9}\n{\"step\":10}\n{\"st\n");
  EXPECT_EQ(TextOf(aside + "/events.jsonl"),
            "{\"step\":9,\"kind\":\"skip\"}\n");
  // A second time there is nothing to move, and nothing is lost.
  ASSERT_TRUE(SetAsideSteps(*run, 9).ok());
  EXPECT_EQ(TextOf(aside + "/metrics.jsonl"),
            "{\"step\":9}\n{\"step\":10}\n{\"st\n");
}

TEST(AbandonedSteps, OfAFreshRunAreNone) {
  const TempDir dir;
  const auto run = RunDirectory::Create(dir.path() + "/run");
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(SetAsideSteps(*run, 0).ok());
  EXPECT_FALSE(DirectoryExists(run->path() + "/abandoned"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

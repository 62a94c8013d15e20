#include "apps/gyre/replay/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesFor(const ReplayOptions& options,
                                  const Evidence& evidence) {
  std::vector<std::string> names;
  for (const Change& change : ChangesFor(options, evidence)) {
    names.push_back(change.name);
  }
  return names;
}

Evidence Of(int world, Json manifest = Json::Object()) {
  Evidence evidence;
  evidence.world = world;
  evidence.manifest = std::move(manifest);
  return evidence;
}

TEST(Changes, AllOfThemUnlessSomeAreAskedFor) {
  EXPECT_THAT(NamesFor({}, Of(2)),
              ElementsAre("none",
                          "--precision f64",
                          "--kernels reference",
                          "--ranks 1",
                          "--jit off"));
  EXPECT_THAT(NamesFor({.kernels = "reference"}, Of(2)),
              ElementsAre("none", "--kernels reference"));
  EXPECT_THAT(NamesFor({.plain = true}, Of(2)), ElementsAre("none"));
}

TEST(Changes, OnlyThoseThatChangeSomething) {
  const Json wide = Json::Object(
      {{"precision", "f64"}, {"kernels", "reference"}, {"jit", false}});
  EXPECT_THAT(NamesFor({}, Of(1, wide)), ElementsAre("none"));
  const Json half = Json::Object({{"precision", "bf16"}});
  EXPECT_THAT(NamesFor({}, Of(1, half)),
              ElementsAre("none",
                          "--precision f32",
                          "--precision f64",
                          "--kernels reference",
                          "--jit off"));
}

TEST(Changes, OneAtATime) {
  const std::vector<Change> changes = ChangesFor(
      {.precision = "f64", .ranks = 1, .extra = {"--loss", "mse"}}, Of(4));
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[1].with, "precision=f64");
  EXPECT_EQ(changes[1].ranks, 0);
  EXPECT_EQ(changes[2].with, "");
  EXPECT_EQ(changes[2].ranks, 1);
  EXPECT_EQ(changes[3].name, "-- --loss mse");
  EXPECT_THAT(changes[3].extra, ElementsAre("--loss", "mse"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

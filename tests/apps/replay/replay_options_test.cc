#include "apps/gyre/replay/replay_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StatusOr<ReplayOptions> Parse(const std::vector<std::string>& args) {
  return ParseReplayOptions(args);
}

TEST(ReplayOptions, TakeRunStepChangesAndTheProgramsOwn) {
  const auto options = Parse({"runs/x",
                              "--step",
                              "7",
                              "--precision",
                              "f64",
                              "--",
                              "--loss",
                              "mse",
                              "--json"});
  ASSERT_TRUE(options.ok()) << Message(options.status());
  EXPECT_THAT(options->paths, ElementsAre("runs/x"));
  EXPECT_EQ(options->step, 7);
  EXPECT_EQ(options->precision, "f64");
  EXPECT_THAT(options->extra, ElementsAre("--loss", "mse", "--json"));
  EXPECT_FALSE(options->json);
  EXPECT_TRUE(options->asks_for_changes());
  EXPECT_FALSE(Parse({"runs/x"})->asks_for_changes());
}

TEST(ReplayOptions, ContradictionsAreErrors) {
  const auto says = [](const std::vector<std::string>& args, const char* text) {
    const Status status = Parse(args).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
    EXPECT_THAT(Message(status), HasSubstr(text));
  };
  says({}, "usage: gyre replay RUN");
  says({"a", "b"}, "got 2 argument(s)");
  says({"--diff", "a"}, "gyre replay --diff A B");
  says({"a", "--plain", "--all"}, "--plain tries no change");
  says({"a", "--plain", "--", "--x"}, "--plain tries no change");
  says({"a", "--ranks", "3"}, "--ranks must be 1");
  says({"a", "--precision", "f8"}, "precision");
  says({"a", "--timeout", "0"}, "--timeout");
}

}  // namespace
}  // namespace gyre::internal::inline tests

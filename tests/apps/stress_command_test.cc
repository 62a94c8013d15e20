#include "apps/gyre/stress/stress_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StatusOr<StressOptions> ParseStressCommand(
    const std::vector<std::string>& args) {
  return ParseStressOptions(args);
}

TEST(StressCommand, DrawsEveryFaultUnlessTold) {
  const auto options =
      ParseStressCommand({"-n", "4", "--", "prog", "--rate", "7"});
  ASSERT_TRUE(options.ok()) << Message(options.status());
  EXPECT_EQ(options->faults, "any_any@rate=0.2,seed=0");
  EXPECT_THAT(options->launch_args,
              ElementsAre("-n", "4", "--", "prog", "--rate", "7"));
}

TEST(StressCommand, TakesKindsRateAndSeed) {
  const auto options = ParseStressCommand({"--faults",
                                           "nan_grad;inf_data@rank=1,step=3",
                                           "--rate",
                                           "0.5",
                                           "--seed",
                                           "9",
                                           "--",
                                           "prog"});
  ASSERT_TRUE(options.ok()) << Message(options.status());
  EXPECT_EQ(options->faults, "nan_grad@rate=0.5,seed=9;inf_data@rank=1,step=3");
  EXPECT_THAT(options->launch_args, ElementsAre("--", "prog"));
}

TEST(StressCommand, SaysWhatItDoesNotUnderstand) {
  EXPECT_THAT(
      Message(ParseStressCommand({"--faults", "nan_grid", "--", "p"}).status()),
      HasSubstr("nan_grid"));
  EXPECT_THAT(Message(ParseStressCommand({"--rate", "0", "--", "p"}).status()),
              HasSubstr("rate=0 is not a share"));
  EXPECT_THAT(Message(ParseStressCommand({"--rate"}).status()),
              HasSubstr("needs a value"));
  EXPECT_TRUE(ParseStressCommand({"--help"})->help);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "train/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gyre {
namespace {

using testing::HasSubstr;

Sampler Make(int ranks) {
  return *Sampler::Create(
      {.samples = 42, .batch = 4, .ranks = ranks, .seed = 7});
}

std::vector<std::int64_t> Global(const Sampler& sampler,
                                 std::int64_t step,
                                 int ranks) {
  std::vector<std::int64_t> all;
  for (int r = 0; r < ranks; ++r) {
    for (const auto i : sampler.Indices(step, r)) all.push_back(i);
  }
  return all;
}

TEST(Sampler, EveryNumberOfRanksSeesTheSameBatches) {
  for (std::int64_t step = 0; step < 30; ++step) {
    const auto one = Global(Make(1), step, 1);
    EXPECT_EQ(Global(Make(2), step, 2), one);
    EXPECT_EQ(Global(Make(4), step, 4), one);
  }
}

TEST(Sampler, AnEpochUsesNoSampleTwiceAndTheNextHasAnotherOrder) {
  const Sampler sampler = Make(1);
  EXPECT_EQ(sampler.steps_per_epoch(), 10);
  std::set<std::int64_t> seen;
  for (std::int64_t step = 0; step < 10; ++step) {
    for (const auto i : sampler.Indices(step, 0)) {
      EXPECT_TRUE(i >= 0 && i < 42);
      EXPECT_TRUE(seen.insert(i).second);
    }
  }
  EXPECT_NE(sampler.Indices(0, 0), sampler.Indices(10, 0));
}

TEST(Sampler, RefusesBatchesThatDoNotFit) {
  EXPECT_THAT(
      Message(Sampler::Create({.samples = 9, .batch = 4, .ranks = 3}).status()),
      HasSubstr("cannot be split over 3 ranks"));
  EXPECT_THAT(
      Message(Sampler::Create({.samples = 3, .batch = 4, .ranks = 1}).status()),
      HasSubstr("the data has 3"));
}

}  // namespace
}  // namespace gyre

#include "gyre/train/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <set>

#include "gyre/train/rewind_request.h"

namespace gyre {
namespace {

using testing::HasSubstr;

Sampler MakeSampler(int ranks) {
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
    const auto one = Global(MakeSampler(1), step, 1);
    EXPECT_EQ(Global(MakeSampler(2), step, 2), one);
    EXPECT_EQ(Global(MakeSampler(4), step, 4), one);
  }
}

TEST(Sampler, AnEpochUsesNoSampleTwiceAndTheNextHasAnotherOrder) {
  const Sampler sampler = MakeSampler(1);
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

// What gyre rewind leaves out, for the length of a test.
class LeftOut {
 public:
  explicit LeftOut(std::vector<std::int64_t> ids) {
    const RewindRequest request{.leave_out = std::move(ids)};
    ::setenv(kRewindVariable, request.ToJson().Dump().c_str(), 1);
  }
  ~LeftOut() { ::unsetenv(kRewindVariable); }
};

TEST(Sampler, WhatIsLeftOutIsReplacedWhereItStands) {
  const Sampler whole = MakeSampler(1);
  // One of each of two batches, and a third one; two samples of an epoch are
  // in no batch, so that one comes twice.
  const std::vector<std::int64_t> out = {
      whole.Indices(2, 0)[1], whole.Indices(5, 0)[0], whole.Indices(5, 0)[3]};
  const LeftOut left_out(out);
  const Sampler sampler = MakeSampler(1);
  for (std::int64_t step = 0; step < 30; ++step) {
    const auto before = whole.Indices(step, 0);
    const auto now = sampler.Indices(step, 0);
    EXPECT_EQ(Global(MakeSampler(2), step, 2), now);
    EXPECT_EQ(Global(MakeSampler(4), step, 4), now);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool gone =
          std::find(out.begin(), out.end(), before[i]) != out.end();
      EXPECT_EQ(std::find(out.begin(), out.end(), now[i]), out.end());
      if (!gone) {
        EXPECT_EQ(now[i], before[i]);
      }
    }
  }
  std::map<std::int64_t, int> times;
  for (std::int64_t step = 0; step < 10; ++step) {
    for (const auto i : sampler.Indices(step, 0)) ++times[i];
  }
  EXPECT_EQ(times.size(), 39u);
  EXPECT_EQ(times[whole.Indices(0, 0)[0]], 2);
  EXPECT_EQ(sampler.FirstReplaced(0, 10), 2);
  EXPECT_EQ(sampler.FirstReplaced(3, 10), 5);
  EXPECT_EQ(sampler.FirstReplaced(6, 10), 10);
  EXPECT_LT(sampler.FirstReplaced(6, 20), 20);
  EXPECT_EQ(whole.FirstReplaced(0, 10), 10);
}

TEST(Sampler, IdsAreWhatIsLeftOut) {
  const auto make = [] {
    return Sampler::Create({.samples = 4, .batch = 2, .ids = {30, 31, 40, 41}});
  };
  const LeftOut left_out({40});
  const auto sampler = make();
  ASSERT_TRUE(sampler.ok()) << sampler.status();
  for (std::int64_t step = 0; step < 8; ++step) {
    for (const auto id : sampler->Ids(step, 0)) {
      EXPECT_TRUE(id == 30 || id == 31 || id == 41) << id;
    }
  }
  {
    const LeftOut other({2});
    EXPECT_THAT(Message(make().status()),
                HasSubstr("there is no sample 2 to leave out"));
    EXPECT_TRUE(
        Sampler::Create({.samples = 4, .batch = 2, .rewinds = false}).ok());
  }
  const LeftOut most({30, 31, 40});
  EXPECT_THAT(Message(make().status()), HasSubstr("fewer than a batch of 2"));
  EXPECT_THAT(
      Message(Sampler::Create({.samples = 4, .batch = 2, .ids = {1}}).status()),
      HasSubstr("1 ids for 4 samples"));
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

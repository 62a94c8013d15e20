#include "gyre/train/data/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gyre/train/context/rewind_request.h"
#include "tests/support/paper_rank.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

using Ids = std::vector<std::int64_t>;

// Without the samples that gyre rewind leaves out.
StatusOr<Sampler> SamplerOf(int ranks,
                            const SamplerOptions& options,
                            const Ids& left_out = {}) {
  PaperRank paper(0, ranks);
  const RewindRequest request{.leave_out = left_out};
  paper.set_run_context({.rewind = request.ToJson().Dump()});
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(paper, {{"data", -1}}));
  return Sampler::Create(mesh, options);
}

Sampler MakeSampler(int ranks, const Ids& left_out = {}) {
  return *SamplerOf(ranks, {.samples = 42, .batch = 4, .seed = 7}, left_out);
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

TEST(Sampler, WhatIsLeftOutIsReplacedWhereItStands) {
  const Sampler whole = MakeSampler(1);
  // One of each of two batches, and a third one; two samples of an epoch are
  // in no batch, so that one comes twice.
  const Ids out = {
      whole.Indices(2, 0)[1], whole.Indices(5, 0)[0], whole.Indices(5, 0)[3]};
  const Sampler sampler = MakeSampler(1, out);
  for (std::int64_t step = 0; step < 30; ++step) {
    const auto before = whole.Indices(step, 0);
    const auto now = sampler.Indices(step, 0);
    EXPECT_EQ(Global(MakeSampler(2, out), step, 2), now);
    EXPECT_EQ(Global(MakeSampler(4, out), step, 4), now);
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
  const auto without = [](const Ids& out) {
    return SamplerOf(
        1, {.samples = 4, .batch = 2, .ids = {30, 31, 40, 41}}, out);
  };
  const auto sampler = without({40});
  ASSERT_TRUE(sampler.ok()) << sampler.status();
  for (std::int64_t step = 0; step < 8; ++step) {
    for (const auto id : sampler->Ids(step, 0)) {
      EXPECT_TRUE(id == 30 || id == 31 || id == 41) << id;
    }
  }
  EXPECT_THAT(Message(without({2}).status()),
              HasSubstr("there is no sample 2 to leave out"));
  EXPECT_TRUE(
      SamplerOf(1, {.samples = 4, .batch = 2, .rewinds = false}, {7}).ok());
  EXPECT_THAT(Message(without({30, 31, 40}).status()),
              HasSubstr("fewer than a batch of 2"));
  EXPECT_THAT(
      Message(SamplerOf(1, {.samples = 4, .batch = 2, .ids = {1}}).status()),
      HasSubstr("1 ids for 4 samples"));
}

TEST(Sampler, RefusesBatchesThatDoNotFit) {
  EXPECT_THAT(Message(SamplerOf(3, {.samples = 9, .batch = 4}).status()),
              HasSubstr("cannot be split over 3 ranks"));
  EXPECT_THAT(Message(SamplerOf(1, {.samples = 3, .batch = 4}).status()),
              HasSubstr("the data has 3"));
}

TEST(Sampler, RanksThatDifferOnOtherAxesAloneGetTheSameSamples) {
  for (int rank = 0; rank < 4; ++rank) {
    PaperRank paper(rank, 4);
    const Mesh mesh = *Mesh::Create(paper, {{"data", 2}, {"member", 2}});
    const SamplerOptions options{
        .samples = 42, .batch = 4, .batch_axes = {"data"}, .seed = 7};
    const Sampler sampler = *Sampler::Create(mesh, options);
    EXPECT_EQ(sampler.rank(), rank);
    EXPECT_EQ(sampler.per_rank(), 2);
    const Sampler two = MakeSampler(2);
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(sampler.Indices(3, r), two.Indices(3, r / 2));
    }
  }
  PaperRank paper(0, 4);
  const Mesh mesh = *Mesh::Create(paper, {{"data", 2}, {"member", 2}});
  EXPECT_THAT(
      Message(Sampler::Create(
                  mesh, {.samples = 42, .batch = 4, .batch_axes = {"date"}})
                  .status()),
      HasSubstr("\"date\""));
}

// Where nothing is left over for a replacement, the epoch's first samples come
// once more, but not twice in one batch: ranks would share them.
TEST(Sampler, NoBatchHoldsASampleTwice) {
  for (std::int64_t out = 0; out < 12; ++out) {
    const Sampler sampler = *SamplerOf(
        2, {.samples = 12, .batch = 4, .seed = 7}, {out, (out + 5) % 12});
    for (std::int64_t step = 0; step < 9; ++step) {
      const auto ids = Global(sampler, step, 2);
      EXPECT_EQ(std::set<std::int64_t>(ids.begin(), ids.end()).size(), 4u)
          << "without " << out << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

// Several ranks in one process: whatever one of them finds, all decide alike.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Ranks {
 public:
  Ranks(int n, Guard guard) {
    for (int r = 0; r < n; ++r) {
      worlds_.emplace_back(MakeLayout({{3, 5}, {2}}),
                           Chain(guard, Adam(Constant{0.1})));
    }
  }

  FlatWorld& operator[](int r) { return worlds_[r]; }

  // Healthy gradients, another one on each rank.
  void Fill(int step) {
    for (std::size_t r = 0; r < worlds_.size(); ++r) {
      for (const int i : {0, 1, 7, 14, 16, 17}) {
        worlds_[r].grads()[i] = std::cos(step + 0.7f * r + i);
      }
    }
  }

  // One step; the verdicts, one a rank.
  std::vector<Verdict> Step(const std::vector<double>& losses) {
    const FlatLayout& layout = worlds_[0].layout();
    const Guard& guard = worlds_[0].optimizer().guard();
    std::vector<Note> notes;
    FlatArray mean(layout);
    for (std::size_t r = 0; r < worlds_.size(); ++r) {
      float* grads = worlds_[r].grads().data();
      const LocalFindings found = ScanLocal(layout, grads, losses[r]);
      Contain(guard.policy, layout, found, grads);
      notes.push_back(found.ToNote());
      for (int i = 0; i < layout.elements(); ++i) {
        mean[i] += grads[i] / worlds_.size();
      }
    }
    std::vector<Verdict> verdicts;
    for (FlatWorld& w : worlds_) {
      std::copy_n(mean.data(), layout.elements(), w.grads().data());
      verdicts.push_back(Judge(std::span<const Note>(notes),
                               GlobalNorm(mean.data(), layout.elements()),
                               w.guard_state(),
                               guard));
      if (verdicts.back().applies()) {
        EXPECT_EQ(w.Update(verdicts.back().grad_scale()).non_finite, 0);
        w.Flip();
      }
      EXPECT_TRUE(
          w.guard_state().AfterStep(verdicts.back(), guard, layout).ok());
    }
    return verdicts;
  }

  void ExpectAllEqual() {
    for (FlatWorld& w : worlds_) {
      EXPECT_EQ(w.params(), worlds_[0].params());
      EXPECT_EQ(w.state(0), worlds_[0].state(0));
      EXPECT_EQ(w.state(1), worlds_[0].state(1));
      EXPECT_EQ(w.guard_state(), worlds_[0].guard_state());
    }
  }

 private:
  std::vector<FlatWorld> worlds_;
};

// Only the second rank's gradient has an infinity; the first must not step.
TEST(RanksTest, OneBadGradientSkipsOnAll) {
  Ranks ranks(2, {.max_norm = 1});
  ranks.Fill(0);
  ranks.Step({1, 1});
  ranks.Fill(1);
  ranks[1].grads()[16] = kInf;
  const std::vector<Verdict> verdicts = ranks.Step({1, 1});
  EXPECT_EQ(verdicts[0].id, verdicts[1].id);
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(verdicts[r].action, Action::kSkip);
    EXPECT_EQ(verdicts[r].Describe(ranks[0].layout()),
              "skip: rank 1: 1 bad gradient element, first in t1");
    EXPECT_EQ(ranks[r].guard_state().applied, 1);
  }
  ranks.ExpectAllEqual();
}

// A rank that decides for itself, or for all, would miss the third's NaN.
TEST(RanksTest, OneBadLossSkipsOnAllAndNamesTheRank) {
  Ranks ranks(4, {});
  ranks.Fill(0);
  for (const Verdict& v : ranks.Step({0.8, 0.8, kNan, 0.8})) {
    EXPECT_EQ(v.action, Action::kSkip);
    ASSERT_THAT(v.ranks, SizeIs(1));
    EXPECT_EQ(v.ranks[0].rank, 2);
  }
  ranks.ExpectAllEqual();
  for (const Verdict& v : ranks.Step({0.8, 0.8, 500, 0.8})) {
    EXPECT_TRUE(v.clean());
  }
}

TEST(RanksTest, DropRankIsTheMeanOfTheOthers) {
  Ranks three(3, {.policy = Policy::kDropRank, .max_norm = 1});
  Ranks two(2, {.policy = Policy::kDropRank, .max_norm = 1});
  three.Fill(0);
  two.Fill(0);
  three[2].grads()[1] = kNan;
  for (const Verdict& v : three.Step({1, 1, 1})) EXPECT_TRUE(v.applies());
  two.Step({1, 1});
  three.ExpectAllEqual();
  for (const int i : {0, 1, 7, 14, 16, 17}) {
    EXPECT_NEAR(three[0].state(0)[i], two[0].state(0)[i], 1e-7);
  }
}

}  // namespace
}  // namespace gyre::optim

#include "gyre/optim/scan.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/norm.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ScanTest, FindsEveryBadNumberAtEveryPlace) {
  const FlatLayout layout = MakeLayout({{3, 5}, {1}, {4099}});
  for (int t = 0; t < layout.count(); ++t) {
    const std::int64_t size = layout[t].size;
    for (const std::int64_t at : {std::int64_t{0}, size / 2 | 1, size - 1}) {
      if (at >= size) continue;
      for (const float bad : {kNan, -kNan, kInf, -kInf}) {
        FlatArray grads(layout);
        grads[layout[t].offset + at] = bad;
        const LocalFindings found = ScanLocal(layout, grads.data(), 0.5);
        ASSERT_THAT(found.tensors(), SizeIs(1));
        EXPECT_EQ(found.tensors()[0].tensor, t);
        EXPECT_EQ(found.tensors()[0].first, at);
        EXPECT_EQ(found.tensors()[0].nan, std::isnan(bad) ? 1 : 0);
        EXPECT_EQ(found.tensors()[0].inf, std::isinf(bad) ? 1 : 0);
        EXPECT_EQ(found.ToNote(), MakeNote(kBadGradient, 1, t));
      }
    }
  }
}

TEST(ScanTest, HugeTinyAndDenormalAreNotBad) {
  const FlatLayout layout = MakeLayout({{6}});
  FlatArray grads(layout);
  const float values[] = {3.4e38f, -3.4e38f, 1e-45f, -0.0f, 1e-38f, 0};
  for (int i = 0; i < 6; ++i) grads[i] = values[i];
  const LocalFindings found = ScanLocal(layout, grads.data(), 3e38);
  EXPECT_FALSE(found.bad());
  EXPECT_EQ(found.ToNote(), Note{});
}

TEST(ScanTest, PaddingIsNotCounted) {
  const FlatLayout layout = MakeLayout({{15}, {17}});
  FlatArray grads(layout);
  grads[15] = kNan;
  grads[16 + 17] = kInf;
  const LocalFindings found = ScanLocal(layout, grads.data(), 0);
  EXPECT_FALSE(found.bad());
  EXPECT_EQ(found.Norm(), 0);
}

TEST(ScanTest, OneBadNumberDoesNotTouchTheNormOfTheOthers) {
  const FlatLayout layout = MakeLayout({{5000}, {1}});
  FlatArray grads(layout);
  for (int i = 0; i < 5000; ++i) grads[i] = 2;
  grads[4097] = kNan;
  grads[12] = kInf;
  grads[layout[1].offset] = 3;
  const LocalFindings found = ScanLocal(layout, grads.data(), 0);
  EXPECT_EQ(found.sum_squares()[0], 4.0 * 4998);
  EXPECT_EQ(found.sum_squares()[1], 9);
  EXPECT_EQ(found.Norm(), std::sqrt(4.0 * 4998 + 9));
  EXPECT_EQ(found.bad_elements(), 2);
  EXPECT_EQ(found.Describe(layout),
            "t0: 1 NaN and 1 Inf of 5000, first at element 12");
}

TEST(ScanTest, SeesABadLoss) {
  const FlatLayout layout = MakeLayout({{4}});
  const FlatArray grads(layout);
  for (const double loss : {double{kNan}, double{kInf}, -double{kInf}}) {
    const LocalFindings found = ScanLocal(layout, grads.data(), loss);
    EXPECT_TRUE(found.bad());
    EXPECT_EQ(found.ToNote(), MakeNote(kBadLoss, 0, -1));
    EXPECT_EQ(found.Describe(layout), "the loss is not finite");
  }
}

TEST(ScanTest, WorksByBucketAndStartsAfresh) {
  const FlatLayout layout = MakeLayout({{4}, {4}, {4}});
  FlatArray grads(layout);
  grads[layout[2].offset] = kNan;
  LocalFindings found(layout);
  found.ScanTensors(layout, grads.data(), 0, 2);
  EXPECT_FALSE(found.bad());
  found.ScanTensors(layout, grads.data(), 2, 3);
  EXPECT_TRUE(found.bad());
  found.Reset();
  EXPECT_FALSE(found.bad());
  EXPECT_THAT(found.sum_squares(), SizeIs(3));
}

TEST(SanitiseTest, SetsOnlyTheBadToZero) {
  const FlatLayout layout = MakeLayout({{3}, {2}});
  FlatArray grads(layout);
  grads[0] = 1;
  grads[1] = kNan;
  grads[2] = -kInf;
  grads[16] = 5;
  const LocalFindings found = ScanLocal(layout, grads.data(), 0);
  Sanitise(layout, found.tensors(), grads.data());
  EXPECT_EQ(grads[0], 1);
  EXPECT_EQ(grads[1], 0);
  EXPECT_EQ(grads[2], 0);
  EXPECT_EQ(grads[16], 5);
  EXPECT_THAT(ScanLocal(layout, grads.data(), 0).tensors(), IsEmpty());
  EXPECT_EQ(GlobalNorm(grads.data(), layout.elements()), std::sqrt(26.0));
}

// What is on its way to other ranks may hold a sum by now, and one that is not
// finite is for all ranks to see.
TEST(ContainTest, LeavesWhatIsDealtWithAlone) {
  const FlatLayout layout = MakeLayout({{3}, {2}});
  FlatArray grads(layout);
  LocalFindings found(layout);
  grads[16] = kNan;
  found.ScanTensors(layout, grads.data(), 1, 2);
  Contain(Guard{}, layout, found, grads.data());
  EXPECT_EQ(grads[16], 0);
  grads[17] = kInf;  // a sum that overflowed meanwhile
  grads[1] = kNan;
  found.ScanTensors(layout, grads.data(), 0, 1);
  Contain(Guard{}, layout, found, grads.data(), 1);
  EXPECT_EQ(grads[1], 0);
  EXPECT_EQ(grads[17], kInf);
}

TEST(ContainTest, FollowsThePolicy) {
  const FlatLayout layout = MakeLayout({{3}, {2}});
  const auto contain = [&](Policy policy, float bad, double loss) {
    FlatArray grads(layout);
    grads[0] = bad;
    grads[16] = 5;
    Contain(
        policy, layout, ScanLocal(layout, grads.data(), loss), grads.data());
    return std::pair(grads[0], grads[16]);
  };
  using Pair = std::pair<float, float>;
  EXPECT_EQ(contain(Policy::kSkip, kInf, 0), Pair(0, 5));
  EXPECT_EQ(contain(Policy::kHalt, kInf, 0), Pair(0, 5));
  EXPECT_EQ(contain(Policy::kZero, kInf, 0), Pair(0, 5));
  EXPECT_EQ(contain(Policy::kObserve, kInf, 0), Pair(kInf, 5));
  EXPECT_EQ(contain(Policy::kDropRank, kInf, 0), Pair(0, 0));
  EXPECT_EQ(contain(Policy::kDropRank, 1, kNan), Pair(0, 0));
  EXPECT_EQ(contain(Policy::kDropRank, 1, 0), Pair(1, 5));
}

}  // namespace
}  // namespace gyre::optim

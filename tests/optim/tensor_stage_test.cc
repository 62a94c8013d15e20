#include "gyre/optim/tensor_stage.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adafactor.h"
#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/lamb.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A stage as a user writes it, with a memory of one number a tensor.
struct UnitLength {
  Where where = AllTensors;
  static constexpr int kStates = 1;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }
  Shape StateShape(int, const TensorSlot&) const { return Shape({1}); }
  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    const double norm = std::sqrt(SumOfSquares(t.u, t.size));
    t.new_state[0][0] = static_cast<T>(norm);
    if (norm > 0) ScaleAll(t, 1 / norm);
  }
};

TEST(TensorStageTest, SeesTheScaledGradientOfEachTensor) {
  FlatWorld w(MakeLayout({{2}, {3}}), Chain(Guard{}, UnitLength{}, Scale{-1}));
  w.grads()[0] = 3;
  w.grads()[1] = 4;
  w.grads()[16] = -8;
  EXPECT_EQ(w.Update(0.5).non_finite, 0);
  w.Flip();
  EXPECT_FLOAT_EQ(w.params()[0], -0.6);
  EXPECT_FLOAT_EQ(w.params()[1], -0.8);
  EXPECT_FLOAT_EQ(w.params()[16], 1);
  EXPECT_EQ(w.state(0)[0], 2.5);  // the state's layout: one number a tensor
  EXPECT_EQ(w.state(0)[16], 4);
}

TEST(TensorStageTest, TwoInARowAndOneAtTheEnd) {
  FlatWorld w(MakeLayout({{2}}),
              Chain(Guard{},
                    Scale{-1},
                    ClipTensorNorm{.limit = 5},
                    UnitLength{},
                    ClipTensorNorm{.limit = 0.5}));
  w.params()[0] = 1;
  w.grads()[0] = 30;
  w.grads()[1] = 40;
  w.Update(1);
  w.Flip();
  EXPECT_FLOAT_EQ(w.params()[0], 1 - 0.3);
  EXPECT_FLOAT_EQ(w.params()[1], -0.4);
  EXPECT_FLOAT_EQ(w.state(0)[0], 5);
}

TEST(TensorStageTest, WhereKeepsStateAndUpdateOfTheOthers) {
  FlatWorld w(MakeLayout({{1, 2}, {2}}),
              Chain(Guard{}, UnitLength{.where = NotBiasOrNorm}, Scale{-1}));
  w.state(0)[16] = 7;
  w.grads()[0] = 3;
  w.grads()[16] = 3;
  w.Update(1);
  w.Flip();
  EXPECT_EQ(w.params()[0], -1);
  EXPECT_EQ(w.params()[16], -3);
  EXPECT_EQ(w.state(0)[16], 7);
}

TEST(TensorStageTest, ANaNIsCountedWhereverItEnds) {
  const AnyOptimizer chains[] = {
      Chain(Guard{}, Lamb(Constant{1})),
      Chain(Guard{}, Adafactor(Constant{1}, {.min_side = 2})),
      Chain(Guard{}, ClipAdaptive{}, Scale{-1}),
      Chain(Guard{}, ClipTensorNorm{}, Scale{-1})};
  for (const AnyOptimizer& opt : chains) {
    FlatWorld w(MakeLayout({{3, 4}, {5}}), opt);
    w.grads()[7] = kNan;
    const UpdateResult r = w.Update(1);
    EXPECT_GE(r.non_finite, 1) << opt.Describe();
    EXPECT_EQ(r.first_bad_tensor, 0) << opt.Describe();
  }
}

TEST(AdafactorTest, RemembersARowAndAColumn) {
  const AnyOptimizer opt =
      Chain(Guard{}, Adafactor(Constant{1}, {.min_side = 8}));
  const FlatLayout layout = MakeLayout({{8, 2, 5}, {7, 9}, {3}});
  const std::vector<FlatLayout> states = opt.MakeStateLayouts(layout);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(states[0][0].shape, Shape({8}));
  EXPECT_EQ(states[1][0].shape, Shape({10}));
  EXPECT_EQ(states[2][0].shape, Shape({1}));
  EXPECT_EQ(states[0][1].shape, Shape({1}));  // a side of 7 is too small
  EXPECT_EQ(states[2][1].shape, Shape({7, 9}));
  EXPECT_EQ(states[2][2].shape, Shape({3}));
  EXPECT_THAT(opt.StateNames(), ElementsAre("0.row", "0.column", "0.v"));
}

TEST(AdafactorTest, AMomentOfRankOneIsExact) {
  // g_ij = a_i b_j: its squares factor, so u is the sign.
  FlatWorld w(MakeLayout({{3, 4}}),
              Chain(Guard{}, ScaleByFactoredRms{.min_side = 2}, Scale{-1}));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      w.grads()[4 * i + j] = (i + 1) * (j % 2 == 0 ? 2.0f : -5.0f) * (j + 1);
    }
  }
  EXPECT_EQ(w.Update(1).non_finite, 0);
  w.Flip();
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(w.params()[i], i % 2 == 0 ? -1 : 1, 1e-5) << i;
  }
}

TEST(ClipAdaptiveTest, AUnitIsAnOutput) {
  // (in, out): columns. The second column's weights are zero: eps counts.
  FlatWorld w(
      MakeLayout({{2, 2}}),
      Chain(Guard{}, ClipAdaptive{.limit = 0.5, .eps = 0.25}, Scale{-1}));
  w.params()[0] = 3;
  w.params()[2] = 4;
  for (const int i : {0, 2}) w.grads()[i] = 1;
  for (const int i : {1, 3}) w.grads()[i] = 1;
  w.Update(1);
  w.Flip();
  EXPECT_FLOAT_EQ(w.params()[0], 3 - 1);  // |g| = 1.4 <= 0.5 * 5
  const double clipped = 0.5 * 0.25 / std::sqrt(2.0);
  EXPECT_NEAR(w.params()[1], -clipped, 1e-7);
  EXPECT_NEAR(w.params()[3], -clipped, 1e-7);
}

TEST(ClipAdaptiveTest, AUnitOfAKernelIsAFilter) {
  FlatWorld w(MakeLayout({{2, 1, 1, 2}}),
              Chain(Guard{}, ClipAdaptive{.limit = 1, .eps = 1}, Scale{-1}));
  const float grads[] = {0.3f, 0.4f, 3, 4};
  for (int i = 0; i < 4; ++i) w.grads()[i] = grads[i];
  w.Update(1);
  w.Flip();
  EXPECT_FLOAT_EQ(w.params()[0], -0.3f);
  EXPECT_FLOAT_EQ(w.params()[2], -0.6f);
  EXPECT_FLOAT_EQ(w.params()[3], -0.8f);
}

TEST(TensorStageTest, RefusesBadOptions) {
  const auto error = [](const auto& stage) {
    return Message(stage.Validate());
  };
  EXPECT_THAT(error(ClipAdaptive{.limit = 0}), HasSubstr("limit"));
  EXPECT_THAT(error(ClipAdaptive{.eps = 0}), HasSubstr("eps"));
  EXPECT_THAT(error(ClipTensorNorm{.limit = -1}), HasSubstr("limit"));
  EXPECT_THAT(error(ClipTensorNorm{.limit = kNan}), HasSubstr("limit"));
  EXPECT_THAT(error(ClipTensorRms{.limit = 0}), HasSubstr("limit"));
  EXPECT_THAT(error(ScaleByFactoredRms{.decay = 0}), HasSubstr("decay"));
  EXPECT_THAT(error(ScaleByFactoredRms{.min_side = 0}), HasSubstr("min_side"));
  EXPECT_THAT(error(ScaleByParamRms{.least = 0}), HasSubstr("least"));
  EXPECT_THAT(Message(Chain(Guard{}, UnitLength{}).Validate()),
              HasSubstr("uphill"));
}

}  // namespace
}  // namespace gyre::optim

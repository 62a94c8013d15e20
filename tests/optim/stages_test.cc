// The edges of single stages; golden_test.cc has their arithmetic.

#include <cmath>

#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/clip.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

// The update of a fresh stage for one gradient.
template <Stage S>
double FirstStages(const S& stage, double g, double p = 0) {
  double states[S::kStates + 1] = {};
  return stage.Apply(g, states, p, stage.Prepare(0), TensorTraits{});
}

TEST(AdamTest, FirstStepIsTheSignWhateverTheUnit) {
  const ScaleByAdam adam{.eps = 1e-300};
  for (const double g : {1e-100, 1e-3, 1.0, 1e100}) {
    EXPECT_NEAR(FirstStages(adam, g), 1, 1e-12);
    EXPECT_NEAR(FirstStages(adam, -g), -1, 1e-12);
  }
  EXPECT_EQ(FirstStages(adam, 0), 0);
}

TEST(AdamTest, LateStepsNeedNoCorrection) {
  const auto k = ScaleByAdam{}.Prepare(10'000'000);
  EXPECT_EQ(k.m_scale, 1);
  EXPECT_EQ(k.v_scale, 1);
}

TEST(AdamTest, RefusesBadOptions) {
  EXPECT_TRUE(ScaleByAdam{}.Validate().ok());
  EXPECT_FALSE(ScaleByAdam{.b1 = 1}.Validate().ok());
  EXPECT_FALSE(ScaleByAdam{.b2 = -0.1}.Validate().ok());
  EXPECT_FALSE(ScaleByAdam{.eps = 0}.Validate().ok());
  EXPECT_FALSE(ScaleByAdam{.eps = kNan}.Validate().ok());
}

TEST(ClipEachTest, LetsNaNThrough) {
  const ClipEach clip{.limit = 2};
  EXPECT_EQ(FirstStages(clip, 3), 2);
  EXPECT_EQ(FirstStages(clip, -kInf), -2);
  EXPECT_EQ(FirstStages(clip, 1.5), 1.5);
  EXPECT_TRUE(std::isnan(FirstStages(clip, kNan)));
  EXPECT_FALSE(ClipEach{.limit = -1}.Validate().ok());
}

TEST(LionTest, MovesByTheSignAndRestsAtZero) {
  EXPECT_EQ(FirstStages(ScaleByLion{}, 1e-30), 1);
  EXPECT_EQ(FirstStages(ScaleByLion{}, -5), -1);
  EXPECT_EQ(FirstStages(ScaleByLion{}, 0), 0);
  EXPECT_TRUE(std::isnan(FirstStages(ScaleByLion{}, kNan)));
  EXPECT_FALSE(ScaleByLion{.b1 = 2}.Validate().ok());
}

TEST(RmsTest, OfZeroIsZero) {
  EXPECT_EQ(FirstStages(ScaleByRms{}, 0), 0);
  EXPECT_FALSE(ScaleByRms{.eps = 0}.Validate().ok());
}

TEST(EmaTest, OfAConstantIsTheConstant) {
  const TrackEma ema{.decay = 0.9};
  double e[] = {0};
  for (int step = 1; step <= 30; ++step) {
    EXPECT_EQ(ema.Apply(0.0, e, 7.0, ema.Prepare(step), TensorTraits{}), 0);
    EXPECT_NEAR(e[0] / ema.Correction(step), 7, 1e-12);
  }
}

TEST(SgdTest, RefusesBadOptions) {
  EXPECT_TRUE(ScaleByMomentum{.momentum = 0}.Validate().ok());
  EXPECT_FALSE(ScaleByMomentum{.momentum = 1}.Validate().ok());
  EXPECT_FALSE(ScaleByMomentum{.momentum = kNan}.Validate().ok());
}

TEST(DecayTest, RefusesANegativeRate) {
  EXPECT_FALSE(AddDecayedWeights{.rate = -1}.Validate().ok());
  EXPECT_FALSE(AddDecayedWeights{.rate = kInf}.Validate().ok());
}

TEST(WhereTest, KnowsMatricesFromVectors) {
  EXPECT_TRUE(NotBiasOrNorm({.name = "w", .shape = {2, 2}}));
  EXPECT_FALSE(NotBiasOrNorm({.name = "b", .shape = {2}}));
  EXPECT_FALSE(NotBiasOrNorm({.name = "s", .shape = Shape()}));
  EXPECT_EQ(NameOf(Where(NotBiasOrNorm)), "not_bias_or_norm");
  EXPECT_EQ(NameOf(Where(AllTensors)), "all");
  EXPECT_EQ(NameOf(Where([](const TensorSlot&) { return true; })), "custom");
}

}  // namespace
}  // namespace gyre::optim

#include "gyre/optim/chain.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/sgd.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A stage as a user writes it; without memory, it fits anywhere.
struct SignOfGradient {
  double threshold = 0;
  static constexpr int kStates = 0;
  struct Scalars {
    double t;
  };
  Scalars Prepare(std::int64_t) const { return {threshold}; }
  template <class V>
  V Apply(V g, V*, V, const Scalars& k, const TensorTraits&) const {
    return math::select(g > Splat<V>(k.t), Splat<V>(1), Splat<V>(-1));
  }
};

FlatWorld MakeWorld(AnyOptimizer optimizer) {
  FlatWorld w(MakeLayout({{3, 5}, {1}, {0}, {67}, {16}}), optimizer);
  for (const TensorSlot& t : w.layout().tensors()) {
    for (std::int64_t i = 0; i < t.size; ++i) {
      w.params()[t.offset + i] = std::sin(1.0f + t.offset + i);
      w.grads()[t.offset + i] = std::cos(2.0f + 3 * (t.offset + i));
    }
  }
  return w;
}

TEST(ChainTest, IsItsScalarFormAtEveryElement) {
  const auto chain =
      Chain(Guard{}, AdamW(Constant{0.1}, {.weight_decay = 0.3}));
  FlatWorld w = MakeWorld(chain);
  std::vector<TensorTraits> traits = chain.MakeTraits(w.layout());
  for (int step = 0; step < 3; ++step) {
    FlatArray p(w.layout()), m(w.layout()), v(w.layout());
    const auto prepared = chain.Prepare(step);
    for (int t = 0; t < w.layout().count(); ++t) {
      const TensorSlot& slot = w.layout()[t];
      for (std::int64_t i = slot.offset; i < slot.offset + slot.size; ++i) {
        float s[] = {w.state(0)[i], w.state(1)[i]};
        const float g = w.grads()[i];
        p[i] = w.params()[i] +
               chain.Apply(g, s, w.params()[i], prepared, traits[t]);
        m[i] = s[0];
        v[i] = s[1];
      }
    }
    const UpdateResult r = w.Update(1);
    EXPECT_EQ(r.non_finite, 0);
    w.Flip();
    ++w.guard_state().applied;
    // Bit-equal, padding included.
    EXPECT_EQ(w.params(), p);
    EXPECT_EQ(w.state(0), m);
    EXPECT_EQ(w.state(1), v);
  }
}

TEST(ChainTest, WhereAndLrScaleAreByTensor) {
  FlatLayout layout;
  ASSERT_TRUE(layout.Add("w", {1, 2}).ok());
  ASSERT_TRUE(layout.Add("b", {2}, 0.5).ok());
  FlatWorld w(layout,
              Chain(Guard{},
                    AddDecayedWeights{.rate = 1, .where = NotBiasOrNorm},
                    ScaleByLearningRate{Constant{0.25}}));
  for (const int i : {0, 1, 16, 17}) {
    w.params()[i] = 4;
    w.grads()[i] = 8;
  }
  w.Update(1);
  w.Flip();
  EXPECT_EQ(w.params()[0], 4 - 0.25f * (8 + 4));
  EXPECT_EQ(w.params()[17], 4 - 0.125f * 8);
}

TEST(ChainTest, TakesAUsersStageAndPredicate) {
  FlatWorld w(
      MakeLayout({{3}, {2}}),
      Chain(Guard{},
            SignOfGradient{},
            AddDecayedWeights{
                .rate = 1,
                .where = [](const TensorSlot& t) { return t.name == "t1"; }},
            Scale{-1}));
  w.grads()[1] = 5;
  w.params()[16] = 3;
  w.Update(1);
  w.Flip();
  EXPECT_EQ(w.params()[0], 1);
  EXPECT_EQ(w.params()[1], -1);
  EXPECT_EQ(w.params()[3], 0);  // padding, whatever the stage returns
  EXPECT_EQ(w.params()[16], 3 - (3 - 1));
}

TEST(ChainTest, PaddingStaysZero) {
  // eps = 0 makes 0/0 of a padding element.
  FlatWorld w = MakeWorld(Chain(
      Guard{}, ScaleByAdam{.eps = 0}, ScaleByLearningRate{Constant{0.1}}));
  const UpdateResult r = w.Update(1);
  EXPECT_EQ(r.non_finite, 0);
  w.Flip();
  for (std::int64_t i = 0; i < w.layout().elements(); ++i) {
    if (w.layout().TensorAt(i) >= 0) continue;
    EXPECT_EQ(w.params()[i], 0) << i;
    EXPECT_EQ(w.state(0)[i], 0) << i;
    EXPECT_EQ(w.state(1)[i], 0) << i;
  }
}

TEST(ChainTest, GarbageInThePaddingOfTheGradientDoesNotSpread) {
  FlatWorld w = MakeWorld(Chain(Guard{}, Adam(Constant{0.1})));
  w.grads()[15] = kNan;
  w.grads()[17] = kInf;
  EXPECT_EQ(w.Update(1).non_finite, 0);
  w.Flip();
  EXPECT_EQ(w.params()[15], 0);
  EXPECT_EQ(w.params()[17], 0);
}

TEST(ChainTest, CountsEveryBadNewValueAndNamesTheFirstTensor) {
  FlatWorld w = MakeWorld(
      Chain(Guard{}, ScaleByMomentum{}, ScaleByLearningRate{Constant{0.1}}));
  const std::int64_t at = w.layout()[3].offset;
  w.grads()[at + 66] = kNan;
  w.grads()[w.layout()[4].offset] = kInf;
  const UpdateResult r = w.Update(1);
  EXPECT_EQ(r.non_finite, 4);  // parameter and momentum of both
  EXPECT_EQ(r.first_bad_tensor, 3);
}

TEST(ChainTest, AFiniteGradientWithABadUpdateIsFound) {
  // 1e20 squared is not a float: v overflows though g is finite.
  FlatWorld w = MakeWorld(Chain(Guard{}, Adam(Constant{0.1})));
  w.grads()[2] = 1e20f;
  const UpdateResult r = w.Update(1);
  EXPECT_EQ(r.non_finite, 1);
  EXPECT_EQ(r.first_bad_tensor, 0);
}

TEST(ChainTest, RangesAddUp) {
  FlatWorld whole = MakeWorld(Chain(Guard{}, Adam(Constant{0.1})));
  FlatWorld parts = MakeWorld(Chain(Guard{}, Adam(Constant{0.1})));
  whole.Update(1);
  parts.Update(1, 3, 5);
  parts.Update(1, 0, 3);
  whole.Flip();
  parts.Flip();
  EXPECT_EQ(parts.params(), whole.params());
  EXPECT_EQ(parts.state(1), whole.state(1));

  UpdateResult sum;
  sum.Add({.non_finite = 2, .first_bad_tensor = 4});
  sum.Add({.non_finite = 0, .first_bad_tensor = -1});
  sum.Add({.non_finite = 1, .first_bad_tensor = 3});
  EXPECT_EQ(sum.non_finite, 3);
  EXPECT_EQ(sum.first_bad_tensor, 3);
}

TEST(ChainTest, DescribesItself) {
  const AnyOptimizer opt =
      Chain(Guard{.max_norm = 1},
            AdamW(WarmupCosine{.peak = 3e-3, .warmup = 50, .total = 1500},
                  {.weight_decay = 0.1}));
  EXPECT_EQ(opt.Describe(),
            "guard(policy=skip, max_norm=1, max_consecutive_skips=10)"
            " | scale_by_adam(b1=0.9, b2=0.999, eps=1e-08)"
            " | add_decayed_weights(rate=0.1, where=not_bias_or_norm)"
            " | scale_by_learning_rate(warmup_cosine(peak=0.003, warmup=50, "
            "total=1500, end=0))");
  EXPECT_EQ(opt.num_states(), 2);
  EXPECT_THAT(opt.StateNames(), ElementsAre("0.m", "0.v"));
  EXPECT_EQ(opt.LearningRate(50), 3e-3);
  EXPECT_TRUE(opt.Validate().ok());
}

TEST(ChainTest, ValidatesItsParts) {
  const auto error = [](const AnyOptimizer& o) {
    return Message(o.Validate());
  };
  EXPECT_THAT(error(Chain(Guard{.max_norm = -1}, Scale{-1})),
              HasSubstr("max_norm"));
  EXPECT_THAT(error(Chain(Guard{}, ScaleByAdam{.b1 = 1}, Scale{-1})),
              HasSubstr("b1"));
  EXPECT_THAT(error(Chain(Guard{}, ScaleByAdam{})), HasSubstr("uphill"));
  EXPECT_THAT(error(Chain(Guard{}, ScaleBySchedule{Constant{0.1}})),
              HasSubstr("uphill"));
  EXPECT_THAT(error(Chain(Guard{}, Adam(Linear{.steps = 0}))),
              HasSubstr("steps"));
  EXPECT_TRUE(Chain(Guard{}).Validate().code() ==
              absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gyre::optim

// Twenty steps of each optimizer against Optax: once in double, one number at
// a time, where nothing hides a wrong formula; once in float, by the fused
// pass. tests/golden/optim/make_optim_golden.py made the numbers.

#include <cmath>

#include "gtest/gtest.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/clip.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"
#include "tests/golden/optim/optim_golden.h"
#include "tests/optim/flat_world.h"

namespace gyre::optim {

using namespace internal;

namespace {

using Golden = const double (&)[kGoldenSteps][4];

constexpr double kStart[] = {0.5, -1.25, 2.0, -0.125};
// Where the four numbers are in a flat array.
constexpr int kPlace[] = {0, 1, 16, 17};

double Gradient(int i, int step, double p) {
  return std::cos(3.0 * i + step) + p / 4;
}

FlatLayout Layout() {
  FlatLayout layout;
  EXPECT_TRUE(layout.Add("w", {1, 2}).ok());
  EXPECT_TRUE(layout.Add("b", {2}).ok());
  return layout;
}

// The values to compare after each step: the parameters, or a state.
enum class Of { kParams, kLastState };

template <Stage... S>
void CheckDouble(const Optimizer<S...>& opt, Golden golden, Of of) {
  constexpr int kStates = Optimizer<S...>::kStates;
  constexpr int kLast = kStates > 0 ? kStates - 1 : 0;
  const std::vector<TensorTraits> traits = opt.MakeTraits(Layout());
  double p[4], g[4], states[4][kStates + 1] = {};
  std::copy(kStart, kStart + 4, p);
  for (int step = 0; step < kGoldenSteps; ++step) {
    double squares = 0;
    for (int i = 0; i < 4; ++i) {
      g[i] = Gradient(i, step, p[i]);
      squares += g[i] * g[i];
    }
    const double clip =
        ClipCoefficient(std::sqrt(squares), opt.guard().max_norm);
    const auto prepared = opt.Prepare(step);
    for (int i = 0; i < 4; ++i) {
      p[i] += opt.Apply(
          g[i] * clip, states[i], p[i], prepared, traits[kPlace[i] / 16]);
      const double got = of == Of::kParams ? p[i] : states[i][kLast];
      ASSERT_NEAR(got, golden[step][i], 1e-10)
          << "element " << i << ", step " << step;
    }
  }
}

void CheckFloat(const AnyOptimizer& opt, Golden golden, Of of) {
  FlatWorld w(Layout(), opt);
  for (int i = 0; i < 4; ++i) w.params()[kPlace[i]] = kStart[i];
  Verdict v;
  for (int step = 0; step < kGoldenSteps; ++step) {
    for (int i = 0; i < 4; ++i) {
      const int at = kPlace[i];
      w.grads()[at] = Gradient(i, step, w.params()[at]);
    }
    ASSERT_TRUE(w.Step(1, &v).ok());
    for (int i = 0; i < 4; ++i) {
      const float got = of == Of::kParams
                            ? w.params()[kPlace[i]]
                            : w.state(opt.num_states() - 1)[kPlace[i]];
      ASSERT_NEAR(got, golden[step][i], 3e-6)
          << "element " << i << ", step " << step;
    }
  }
}

template <Stage... S>
void Check(const Optimizer<S...>& opt, Golden golden, Of of = Of::kParams) {
  ASSERT_TRUE(opt.Validate().ok()) << Message(opt.Validate());
  CheckDouble(opt, golden, of);
  CheckFloat(opt, golden, of);
}

constexpr WarmupCosine kSchedule{
    .peak = 0.1, .warmup = 5, .total = 15, .start = 0.01, .end = 0.02};

TEST(GoldenTest, Adam) {
  Check(Chain(Guard{}, Adam(Constant{0.05})), kGoldenAdam);
}

TEST(GoldenTest, AdamW) {
  Check(Chain(Guard{}, AdamW(kSchedule, {.b2 = 0.95, .weight_decay = 0.1})),
        kGoldenAdamW);
}

TEST(GoldenTest, Momentum) {
  Check(Chain(Guard{}, ScaleByMomentum{}, ScaleByLearningRate{Constant{0.05}}),
        kGoldenSgd);
}

TEST(GoldenTest, Nesterov) {
  Check(Chain(Guard{},
              ScaleByMomentum{.momentum = 0.8, .nesterov = true},
              ScaleByLearningRate{Constant{0.05}}),
        kGoldenNesterov);
}

TEST(GoldenTest, DecayBeforeMomentum) {
  Check(Chain(Guard{},
              AddDecayedWeights{.rate = 0.3},
              ScaleByMomentum{.momentum = 0.5},
              Scale{-0.1}),
        kGoldenL2);
}

TEST(GoldenTest, Lion) {
  Check(Chain(Guard{},
              ScaleByLion{},
              AddDecayedWeights{.rate = 0.1},
              ScaleByLearningRate{Constant{0.01}}),
        kGoldenLion);
}

TEST(GoldenTest, RmsProp) {
  Check(Chain(Guard{}, ScaleByRms{}, ScaleByLearningRate{Constant{0.02}}),
        kGoldenRms);
}

TEST(GoldenTest, ClipEachAndALinearSchedule) {
  Check(Chain(Guard{},
              ClipEach{.limit = 0.25},
              ScaleBySchedule{Linear{.from = 0.2, .to = 0.05, .steps = 8}},
              Scale{-1}),
        kGoldenClipEach);
}

TEST(GoldenTest, ClipByGlobalNorm) {
  Check(Chain(Guard{.max_norm = 0.5}, Adam(Constant{0.1})), kGoldenClipNorm);
}

TEST(GoldenTest, EmaOfTheParameters) {
  Check(Chain(Guard{}, Adam(Constant{0.05}), TrackEma{.decay = 0.9}),
        kGoldenEma,
        Of::kLastState);
}

TEST(GoldenTest, WarmupCosine) {
  for (int step = 0; step < kGoldenSteps; ++step) {
    EXPECT_NEAR(kSchedule(step), kGoldenWarmupCosine[step], 1e-12) << step;
  }
}

}  // namespace
}  // namespace gyre::optim

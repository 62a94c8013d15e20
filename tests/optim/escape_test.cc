// Many steps with something bad in them, of every kind and place: none may
// reach a parameter or a state, and none may leave a trace.

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "gyre/optim/adafactor.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/clip.h"
#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/lamb.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"
#include "tests/optim/flat_world.h"

namespace gyre::optim {

using namespace internal;

namespace {

constexpr float kBad[] = {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::max(),
                          -1e38f,
                          1e-45f,
                          -1e-40f};
constexpr int kSteps = 8000;

// A small generator of its own, so that a failure can be repeated.
class Dice {
 public:
  std::uint32_t Roll(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_ = 12345;
};

bool AllFinite(FlatWorld& w) { return w.CountBad() == 0; }

void Attack(const AnyOptimizer& opt) {
  FlatWorld w(MakeLayout({{3, 5}, {1}, {20}}), opt);
  FlatArray before(w.layout());
  const std::int64_t n = w.layout().elements();
  Dice dice;
  Verdict v;
  int skips = 0;
  for (int step = 0; step < kSteps; ++step) {
    for (const TensorSlot& t : w.layout().tensors()) {
      for (std::int64_t i = t.offset; i < t.offset + t.size; ++i) {
        w.grads()[i] = 0.01f * (static_cast<int>(dice.Roll(200)) - 100);
      }
    }
    const TensorSlot& hit = w.layout()[dice.Roll(3)];
    const int hits = 1 + dice.Roll(3);
    for (int h = 0; h < hits; ++h) {
      w.grads()[hit.offset + dice.Roll(hit.size)] = kBad[dice.Roll(7)];
    }
    const double loss = dice.Roll(8) == 0 ? kBad[dice.Roll(3)] : 1;
    std::copy_n(w.params().data(), n, before.data());
    ASSERT_TRUE(w.Step(loss, &v).ok()) << step;
    ASSERT_TRUE(AllFinite(w)) << step << ": " << v.Describe(w.layout());
    if (!v.applies()) {
      ++skips;
      ASSERT_EQ(w.params(), before) << step;
    }
  }
  EXPECT_GT(skips, kSteps / 4);
  EXPECT_LT(skips, kSteps);
  EXPECT_EQ(w.guard_state().skipped, skips);
}

constexpr Guard Lenient(double max_norm) {
  return {.max_norm = max_norm,
          .max_consecutive_skips = kSteps,
          .max_skip_fraction = 1};
}

template <class... S>
void AttackBoth(S... stages) {
  Attack(Chain(Lenient(1), stages...));
  Attack(Chain(Lenient(std::numeric_limits<double>::infinity()), stages...));
}

TEST(EscapeTest, AdamW) { AttackBoth(AdamW(Constant{1e-2})); }
TEST(EscapeTest, AdamAndEma) {
  AttackBoth(Adam(Constant{1e-2}), TrackEma{.decay = 0.9});
}
TEST(EscapeTest, Descent) { AttackBoth(ScaleByLearningRate{Constant{1}}); }
TEST(EscapeTest, Nesterov) {
  AttackBoth(ScaleByMomentum{.nesterov = true},
             ScaleByLearningRate{Constant{1}});
}
TEST(EscapeTest, Lion) { AttackBoth(ScaleByLion{}, Scale{-1e-2}); }
TEST(EscapeTest, RmsProp) { AttackBoth(ScaleByRms{}, Scale{-1e-2}); }
TEST(EscapeTest, ClipEach) {
  AttackBoth(ClipEach{}, ScaleByMomentum{}, AddDecayedWeights{}, Scale{-1e-2});
}
TEST(EscapeTest, Lamb) {
  AttackBoth(Lamb(Constant{1e-2}, {.weight_decay = 0.1}));
}
TEST(EscapeTest, Adafactor) {
  AttackBoth(Adafactor(Constant{1e-2}, {.min_side = 2}));
}
TEST(EscapeTest, ClipAdaptive) {
  AttackBoth(ClipAdaptive{}, ScaleByMomentum{}, Scale{-1e-2});
}
TEST(EscapeTest, ClipTensorNorm) {
  AttackBoth(ClipTensorNorm{}, Adam(Constant{1e-2}));
}

}  // namespace
}  // namespace gyre::optim

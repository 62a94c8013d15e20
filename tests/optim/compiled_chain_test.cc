// Which chains the library has compiled, and that those which it has not are
// the same to the bit from a source with SIMD and from one without.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "gyre/core/simd.h"
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
#include "tests/optim/bend_stage.h"
#include "tests/optim/flat_world.h"

namespace gyre::optim {

using namespace internal;

namespace {

template <class O>
constexpr bool kInLibrary = false;
template <class... S>
constexpr bool kInLibrary<Optimizer<S...>> = detail::kCompiledChain<S...>;

template <class... T>
constexpr bool InLibrary(const T&...) {
  return kInLibrary<decltype(Chain(Guard{}, std::declval<T>()...))>;
}

TEST(CompiledChainTest, EveryFactoryIsInTheLibrary) {
  EXPECT_TRUE(InLibrary(Sgd(0.1)));
  EXPECT_TRUE(InLibrary(Momentum(0.1)));
  EXPECT_TRUE(InLibrary(Nesterov(0.1)));
  EXPECT_TRUE(InLibrary(RmsProp(0.1)));
  EXPECT_TRUE(InLibrary(Lion(0.1)));
  EXPECT_TRUE(InLibrary(Adam(0.1)));
  EXPECT_TRUE(InLibrary(AdamW(0.1)));
  EXPECT_TRUE(InLibrary(Lamb(0.1)));
  EXPECT_TRUE(InLibrary(Adafactor(0.1)));
  EXPECT_TRUE(InLibrary(AdamW(WarmupCosine{}), TrackEma{}));
  EXPECT_TRUE(InLibrary(ClipEach{}, Adam(0.1)));
  EXPECT_TRUE(InLibrary(ClipTensorNorm{}, AdamW(0.1)));
  EXPECT_TRUE(InLibrary(ClipAdaptive{}, Momentum(0.1)));
  EXPECT_FALSE(InLibrary(Bend{}, Momentum(0.1)));
}

// Tensors with and without a rest behind the last whole vector.
FlatLayout Shapes() { return MakeLayout({{3}, {8, 5}, {64}, {1}, {7, 11}}); }

FlatWorld Trained(const AnyOptimizer& optimizer) {
  FlatWorld w(Shapes(), optimizer);
  for (const TensorSlot& t : w.layout().tensors()) {
    for (std::int64_t i = 0; i < t.size; ++i) {
      w.params()[t.offset + i] = static_cast<float>(std::cos(0.7 * i + 0.1));
    }
  }
  for (int step = 0; step < 12; ++step) {
    for (const TensorSlot& t : w.layout().tensors()) {
      for (std::int64_t i = 0; i < t.size; ++i) {
        w.grads()[t.offset + i] = static_cast<float>(
            std::sin(1.3 * i + step) * std::exp2((i + step) % 9 - 4));
      }
    }
    Verdict verdict;
    EXPECT_TRUE(w.Step(1.0, &verdict).ok());
    EXPECT_TRUE(verdict.clean());
  }
  return w;
}

void ExpectSameBits(const AnyOptimizer& a, const AnyOptimizer& b) {
  EXPECT_EQ(a.Describe(), b.Describe());
  FlatWorld x = Trained(a), y = Trained(b);
  EXPECT_TRUE(x.params() == y.params());
  for (int k = 0; k < a.num_states(); ++k) {
    EXPECT_TRUE(x.state(k) == y.state(k)) << "state " << k;
  }
}

TEST(CompiledChainTest, AUsersStageHasTheSameBitsWithoutSimd) {
  ASSERT_EQ(PlainWidth(), 1);
  ASSERT_GT(kSimdWidth, 1);
  ExpectSameBits(
      PlainBend(),
      Chain(Guard{}, Bend{}, Momentum(0.05), TrackEma{.decay = 0.5}));
}

TEST(CompiledChainTest, AUsersTensorStageHasTheSameBitsWithoutSimd) {
  ExpectSameBits(PlainCentredBend(),
                 Chain(Guard{}, Bend{}, Centred{}, Momentum(0.05)));
}

TEST(CompiledChainTest, AFactoryOfAnySourceIsTheLibrarys) {
  ExpectSameBits(PlainAdam(), Chain(Guard{}, Adam(0.05)));
}

}  // namespace
}  // namespace gyre::optim

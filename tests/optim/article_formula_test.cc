// The formula that the idea of the guard comes from, and what is wrong with
// it: the norm is taken before what is not finite is removed.

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "gyre/optim/schedule.h"
#include "tests/optim/flat_world.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

constexpr float kClip = 10;

// As published, in f32: a minimum that lets NaN through.
std::vector<float> ArticleFormula(const std::vector<float>& g) {
  float squares = 0;
  for (const float x : g) squares += x * x;
  const float ratio = kClip / (std::sqrt(squares) + 1e-6f);
  const float scale = std::isnan(ratio) ? ratio : std::min(1.0f, ratio);
  std::vector<float> out;
  for (const float x : g) out.push_back((std::isfinite(x) ? x : 0) * scale);
  return out;
}

// What the guard applies of a gradient, under the policy that also repairs.
std::vector<float> Guarded(const std::vector<float>& g) {
  FlatWorld w(MakeLayout({{static_cast<std::int64_t>(g.size())}}),
              Chain(Guard{.policy = Policy::kZero, .max_norm = kClip},
                    ScaleByLearningRate{Constant{1}}));
  for (std::size_t i = 0; i < g.size(); ++i) w.grads()[i] = g[i];
  Verdict v;
  EXPECT_TRUE(w.Step(1, &v).ok());
  std::vector<float> out;
  for (std::size_t i = 0; i < g.size(); ++i) out.push_back(-w.params()[i]);
  return out;
}

TEST(ArticleFormulaTest, OneNaNPoisonsEveryElement) {
  for (const float x : ArticleFormula({1, kNan, 3, 4})) {
    EXPECT_TRUE(std::isnan(x));
  }
  EXPECT_EQ(Guarded({1, kNan, 3, 4}), (std::vector<float>{1, 0, 3, 4}));
}

TEST(ArticleFormulaTest, OneInfinityErasesEveryElement) {
  EXPECT_EQ(ArticleFormula({1, kInf, 3, 4}), (std::vector<float>(4, 0)));
  EXPECT_EQ(Guarded({1, kInf, 3, 4}), (std::vector<float>{1, 0, 3, 4}));
}

TEST(ArticleFormulaTest, AHugeFiniteElementErasesTheOthersUnseen) {
  EXPECT_EQ(ArticleFormula({1e20f, 1, 3, 4}), (std::vector<float>(4, 0)));
  EXPECT_FLOAT_EQ(Guarded({1e20f, 1, 3, 4})[0], 10);
}

// Each rank by its own norm: the ranks scale differently, and the mean is of
// nothing that was computed.
TEST(ArticleFormulaTest, ClippingByRankIsNotClippingTheMean) {
  const float big = ArticleFormula({100})[0], small = ArticleFormula({1})[0];
  EXPECT_NEAR((big + small) / 2, 5.5, 1e-4);
  EXPECT_FLOAT_EQ(Guarded({(100 + 1) / 2.0f})[0], 10);
}

}  // namespace
}  // namespace gyre::optim

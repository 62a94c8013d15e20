#include "gyre/optim/norm.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "gyre/core/half.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

double Norm(const std::vector<float>& x) {
  return GlobalNorm(x.data(), x.size());
}

TEST(NormTest, IsRightFromTheSmallestToTheLargestFloat) {
  for (const float x : {1e-45f, 1e-38f, 1e-30f, 1e-10f, 1.0f, 1e20f, 3e38f}) {
    for (const std::size_t n : {1, 2, 15, 16, 17, 4095, 4096, 4097, 100001}) {
      const double want = double{x} * std::sqrt(static_cast<double>(n));
      EXPECT_NEAR(Norm(std::vector<float>(n, x)) / want, 1, 1e-6)
          << n << " times " << x;
    }
  }
}

TEST(NormTest, AddsSmallToLarge) {
  std::vector<float> x(1 << 20, 1e-3f);
  x[77] = 1e3f;
  const double want = std::sqrt(1e6 + (x.size() - 1) * double{1e-3f} * 1e-3f);
  EXPECT_NEAR(Norm(x) / want, 1, 1e-12);
}

TEST(NormTest, OfNothingAndOfZerosIsZero) {
  EXPECT_EQ(Norm({}), 0);
  EXPECT_EQ(Norm({0, -0.0f, 0}), 0);
}

TEST(NormTest, IsFiniteExactlyWhenAllElementsAre) {
  for (const std::size_t n : {1, 3, 16, 31, 5000}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      for (const float bad : {kInf, -kInf, kNan}) {
        std::vector<float> x(n, 3e38f);
        EXPECT_TRUE(std::isfinite(Norm(x)));
        x[at] = bad;
        EXPECT_FALSE(std::isfinite(Norm(x))) << n << " at " << at;
      }
    }
  }
}

TEST(NormTest, SharedByBlocksHasTheSameBits) {
  std::vector<float> x(5 * kNormBlock + 123);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.1f * i);
  std::vector<double> sums(NormBlocks(x.size()));
  ASSERT_EQ(sums.size(), 6u);
  // Three ranks, two blocks each.
  for (std::size_t first = 0; first < sums.size(); first += 2) {
    BlockSumSquares(
        x.data(), x.size(), first, std::span(sums).subspan(first, 2));
  }
  EXPECT_EQ(NormOfBlocks(sums), Norm(x));
}

TEST(ClipTest, IsNeverNaN) {
  EXPECT_EQ(ClipCoefficient(2, 1), 0.5);
  EXPECT_EQ(ClipCoefficient(1, 1), 1);
  EXPECT_EQ(ClipCoefficient(0.5, 1), 1);
  EXPECT_EQ(ClipCoefficient(0, 0), 1);
  EXPECT_EQ(ClipCoefficient(5, 0), 0);
  EXPECT_EQ(ClipCoefficient(0, 1), 1);
  EXPECT_EQ(ClipCoefficient(1e300, kInf), 1);
  EXPECT_EQ(ClipCoefficient(kNan, 1), 1);
  EXPECT_EQ(ClipCoefficient(kInf, 1), 1);
  EXPECT_EQ(ClipCoefficient(kInf, kInf), 1);
}

// A sum of squares in f32 overflows here, and everything becomes 0.
TEST(ClipTest, OfHundredTimes1e20IsATenth) {
  const std::vector<float> x(100, 1e20f);
  const double norm = Norm(x);
  EXPECT_NEAR(norm / 1e21, 1, 1e-6);
  const SplitFactor f = Split(ClipCoefficient(norm, 1));
  EXPECT_NEAR(x[0] * f.first * f.second, 0.1, 1e-7);
}

// 300 squared is beyond half precision.
TEST(ClipTest, OfAHalfGradientOf300IsOne) {
  const std::vector<float> x = {static_cast<float>(Half(300.0f))};
  const SplitFactor f = Split(ClipCoefficient(Norm(x), 1));
  EXPECT_NEAR(x[0] * f.first * f.second, 1, 1e-3);
}

TEST(ClipTest, OfTheLargestGradientsKeepsTheirDigits) {
  const std::vector<float> x(1 << 20, 3e38f);
  const SplitFactor f = Split(ClipCoefficient(Norm(x), 1e-6));
  EXPECT_NEAR(x[0] * f.first * f.second / (1e-6 / 1024), 1, 1e-6);
}

TEST(SplitTest, IsExactForOrdinaryFactors) {
  EXPECT_EQ(Split(1).first, 1.0f);
  EXPECT_EQ(Split(1).second, 1.0f);
  EXPECT_EQ(Split(0).second, 0.0f);
  EXPECT_EQ(Split(0.25).second, 0.25f);
  EXPECT_EQ(Split(-2).second, -2.0f);
}

}  // namespace
}  // namespace gyre::optim

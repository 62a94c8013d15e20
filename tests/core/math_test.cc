#include "gyre/core/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gyre/core/simd.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

// Bits of every kind of float: a stride through all 2^32, and the edges.
std::vector<float> Samples(std::uint32_t stride) {
  std::vector<float> xs = {0.0f,    -0.0f,    kInf,      -kInf,   kNan,
                           1.0f,    -1.0f,    1e-45f,    -1e-45f, 1e-38f,
                           3.4e38f, -3.4e38f, 88.72284f, 89.0f,   -103.9f,
                           -104.1f, 0.5f,     -0.5f,     0.92f,   3.95f};
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += stride) {
    xs.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  while (xs.size() % kLanes<float> != 0) xs.push_back(0.25f);
  return xs;
}

// The distance in units in the last place of the wanted float.
double UlpError(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0.0 : kInf;
  if (std::isnan(got)) return kInf;
  if (std::isinf(rounded) || std::isinf(got)) {
    return got == rounded ? 0.0 : kInf;
  }
  int exponent = 0;
  std::frexp(rounded, &exponent);
  return std::abs(got - want) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

bool SameBits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Holds fn against the reference, as a batch and as a scalar.
template <class Fn>
void ExpectAccurate(const char* name,
                    Fn fn,
                    double (*reference)(double),
                    double ulps) {
  double worst = 0;
  float at = 0;
  const std::vector<float> xs = Samples(20011);
  float lanes[kLanes<float>];
  for (std::size_t i = 0; i < xs.size(); i += kLanes<float>) {
    Store(lanes, fn(Load(&xs[i])));
    for (std::size_t k = 0; k < kLanes<float>; ++k) {
      const float x = xs[i + k];
      ASSERT_TRUE(SameBits(lanes[k], fn(x)))
          << name << "(" << x << "): batch " << lanes[k] << ", scalar "
          << fn(x);
      const double want = reference(x);
      const double error = UlpError(lanes[k], want);
      if (want == 0) {
        ASSERT_EQ(std::signbit(want), std::signbit(lanes[k]))
            << name << "(" << x << ")";
      }
      if (!(error <= worst)) {
        worst = error;
        at = x;
      }
    }
  }
  EXPECT_LE(worst, ulps) << name << " at " << at << ": " << fn(at)
                         << ", wanted " << reference(at);
}

#define GYRE_ACCURATE(word, ulps) \
  ExpectAccurate(                 \
      #word, math::word, [](double x) { return std::word(x); }, ulps)

TEST(Math, ExponentialsAndLogarithmsAreAccurate) {
  GYRE_ACCURATE(exp, 1.1);
  GYRE_ACCURATE(expm1, 1.6);
  GYRE_ACCURATE(log, 1.0);
  GYRE_ACCURATE(log1p, 1.5);
  GYRE_ACCURATE(log2, 1.5);
  GYRE_ACCURATE(tanh, 2.6);
  GYRE_ACCURATE(sinh, 1.7);
  GYRE_ACCURATE(cosh, 1.5);
  GYRE_ACCURATE(erf, 1.1);
  GYRE_ACCURATE(sqrt, 0.5);
}

TEST(Math, AnglesAreAccurate) {
  GYRE_ACCURATE(sin, 1.6);
  GYRE_ACCURATE(cos, 1.6);
  GYRE_ACCURATE(tan, 3.5);
  GYRE_ACCURATE(asin, 2.4);
  GYRE_ACCURATE(acos, 1.3);
  GYRE_ACCURATE(atan, 1.4);
}

TEST(Math, RoundingWordsAreExact) {
  GYRE_ACCURATE(floor, 0);
  GYRE_ACCURATE(ceil, 0);
  ExpectAccurate(
      "round", math::round, [](double x) { return std::nearbyint(x); }, 0);
  ExpectAccurate(
      "abs", math::abs, [](double x) { return std::abs(x); }, 0);
  ExpectAccurate(
      "relu", math::relu, [](double x) { return x < 0 ? 0 : x; }, 0);
}

TEST(Math, ActivationsAreAccurate) {
  ExpectAccurate(
      "sigmoid",
      math::sigmoid,
      [](double x) { return 1 / (1 + std::exp(-x)); },
      2.4);
  ExpectAccurate(
      "softplus",
      math::softplus,
      [](double x) {
        return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      },
      1.8);
  ExpectAccurate(
      "rsqrt", math::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5);
  for (float x = -8.0f; x < 8.0f; x += 0.01f) {
    const double phi = 0.5 * std::erfc(-double{x} * std::sqrt(0.5));
    EXPECT_NEAR(math::gelu(x), x * phi, 4e-7 * std::max(1.0f, std::abs(x)));
    EXPECT_NEAR(math::silu(x),
                x / (1 + std::exp(-double{x})),
                4e-7 * std::max(1.0f, std::abs(x)));
    // The tanh form is an approximation: 1e-3 off at most, by definition.
    EXPECT_NEAR(math::gelu_tanh(x), x * phi, 1e-3);
  }
}

TEST(Math, PowersFollowTheCLibrary) {
  const float bases[] = {0.0f,
                         -0.0f,
                         1.0f,
                         -1.0f,
                         2.0f,
                         -2.5f,
                         1e-30f,
                         kInf,
                         -kInf,
                         kNan,
                         0.9999f};
  const float exponents[] = {0.0f,
                             1.0f,
                             -1.0f,
                             2.0f,
                             3.0f,
                             0.5f,
                             -0.5f,
                             100.0f,
                             -7.0f,
                             kInf,
                             -kInf,
                             kNan};
  for (const float x : bases) {
    for (const float y : exponents) {
      const double want = std::pow(double{x}, double{y});
      EXPECT_LE(UlpError(math::pow(x, y), want), 1.0) << x << "^" << y;
      EXPECT_TRUE(SameBits(math::pow(FloatBatch(x), FloatBatch(y)).get(1),
                           math::pow(x, y)));
    }
  }
  EXPECT_EQ(math::pow(FloatBatch(3.0f), 2).get(0), 9.0f);
  EXPECT_EQ(math::pow(-kInf, 0.5f), kInf);
  EXPECT_EQ(math::pow(-0.0f, -3.0f), -kInf);
  for (float x = 1e-40f; x < 1e38f; x *= 1.37f) {
    for (float y = -9.7f; y < 10; y += 0.31f) {
      const double want = std::pow(double{x}, double{y});
      ASSERT_LE(UlpError(math::pow(x, y), want), 0.51) << x << "^" << y;
      ASSERT_TRUE(SameBits(math::pow(FloatBatch(x), FloatBatch(y)).get(6),
                           math::pow(x, y)));
    }
  }
}

TEST(Math, Atan2KnowsItsQuadrantsAndEdges) {
  const float values[] = {
      0.0f, -0.0f, 1.0f, -1.0f, 1e-20f, -3e20f, kInf, -kInf, kNan, 0.3f};
  for (const float y : values) {
    for (const float x : values) {
      const double want = std::atan2(double{y}, double{x});
      const float got = math::atan2(y, x);
      EXPECT_LE(UlpError(got, want), 3.0) << y << ", " << x << ": " << got;
      EXPECT_TRUE(
          SameBits(math::atan2(FloatBatch(y), FloatBatch(x)).get(1), got));
    }
  }
}

TEST(Math, MinAndMaxPropagateNanInAnyOrder) {
  const float values[] = {0.0f, -0.0f, 1.0f, -2.0f, kInf, -kInf, kNan, -kNan};
  for (const float a : values) {
    for (const float b : values) {
      const float low = math::min(a, b);
      const float high = math::max(a, b);
      EXPECT_TRUE(SameBits(low, math::min(b, a)));
      EXPECT_TRUE(SameBits(high, math::max(b, a)));
      EXPECT_TRUE(
          SameBits(low, math::min(FloatBatch(a), FloatBatch(b)).get(2)));
      EXPECT_TRUE(
          SameBits(high, math::max(FloatBatch(a), FloatBatch(b)).get(2)));
      if (std::isnan(a) || std::isnan(b)) {
        EXPECT_TRUE(std::isnan(low) && std::isnan(high)) << a << ", " << b;
      } else {
        EXPECT_EQ(low, std::fmin(a, b));
        EXPECT_EQ(high, std::fmax(a, b));
      }
    }
  }
  EXPECT_TRUE(std::signbit(math::min(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(math::max(-0.0f, 0.0f)));
  EXPECT_TRUE(std::isnan(math::relu(kNan)));
  EXPECT_TRUE(std::isnan(math::clip(kNan, 0.0f, 1.0f)));
  EXPECT_EQ(math::clip(FloatBatch(5.0f), 0, 1).get(3), 1.0f);
}

TEST(Math, SelectKeepsTheBranchNotTakenOut) {
  const FloatBatch x(0.0f);
  const FloatBatch y = math::select(x > 0.0f, math::log(-1.0f - x), 7.0f);
  EXPECT_EQ(y.get(0), 7.0f);
  EXPECT_EQ(math::select(true, 1.0f, kNan), 1.0f);
  EXPECT_EQ(math::select(x == 0.0f, 1.0f, 0.0f).get(1), 1.0f);
  EXPECT_EQ(math::select(false, FloatBatch(1.0f), FloatBatch(2.0f)).get(0),
            2.0f);
}

TEST(Math, XlogyIsZeroAtZero) {
  EXPECT_EQ(math::xlogy(0.0f, 0.0f), 0.0f);
  EXPECT_EQ(math::xlogy(0.0f, -1.0f), 0.0f);
  EXPECT_EQ(math::xlogy(0.0f, kInf), 0.0f);
  EXPECT_TRUE(std::isnan(math::xlogy(0.0f, kNan)));
  EXPECT_TRUE(std::isnan(math::xlogy(kNan, 1.0f)));
  EXPECT_TRUE(std::isnan(math::xlogy(1.0f, -1.0f)));
  EXPECT_NEAR(math::xlogy(2.0f, 3.0f), 2 * std::log(3.0), 1e-6);
}

TEST(Math, SignKeepsZeroAndNan) {
  EXPECT_EQ(math::sign(-3.0f), -1.0f);
  EXPECT_EQ(math::sign(kInf), 1.0f);
  EXPECT_EQ(math::sign(0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(math::sign(kNan)));
}

TEST(Math, NanAndFinitenessAreMasks) {
  EXPECT_TRUE(math::is_nan(kNan));
  EXPECT_FALSE(math::is_nan(kInf));
  EXPECT_TRUE(xsimd::all(math::is_nan(FloatBatch(kNan))));
  EXPECT_FALSE(xsimd::any(math::is_nan(FloatBatch(kInf))));
  EXPECT_FALSE(math::is_finite(-kInf));
  EXPECT_FALSE(xsimd::any(math::is_finite(DoubleBatch(kNan))));
  EXPECT_EQ(math::select(math::is_finite(FloatBatch(kInf)), 1.0f, 2.0f).get(0),
            2.0f);
}

TEST(Math, DoubleIsTheCLibraryInEveryLane) {
  for (double x = -3.0; x < 3.0; x += 0.37) {
    EXPECT_EQ(math::exp(x), std::exp(x));
    EXPECT_EQ(math::tanh(DoubleBatch(x)).get(1), std::tanh(x));
    EXPECT_EQ(math::erf(DoubleBatch(x)).get(1), std::erf(x));
    EXPECT_EQ(math::sigmoid(DoubleBatch(x)).get(0), math::sigmoid(x));
    EXPECT_NEAR(math::sigmoid(x), 1 / (1 + std::exp(-x)), 1e-15);
    EXPECT_NEAR(math::softplus(x), std::log(1 + std::exp(x)), 1e-15);
  }
}

TEST(Math, IntegersCountAsDouble) {
  static_assert(std::is_same_v<decltype(math::exp(1)), double>);
  EXPECT_EQ(math::exp(1), std::exp(1.0));
  EXPECT_EQ(math::max(1, 2), 2.0);
}

// A type of somebody else's joins by overloads in its own namespace.
namespace other {
struct Name {
  std::string text;
  Name(const char* t) : text(t) {}
};
std::string GyreMath(math::ExpFn, const Name& x) {
  return "exp(" + x.text + ")";
}
std::string GyreMath(math::PowFn, const Name& a, const Name& b) {
  return a.text + "^" + b.text;
}
}  // namespace other

TEST(Math, OtherTypesJoinThroughGyreMath) {
  EXPECT_EQ(math::exp(other::Name("x")), "exp(x)");
  EXPECT_EQ(math::pow(other::Name("x"), other::Name("y")), "x^y");
}

}  // namespace
}  // namespace gyre::internal::inline tests

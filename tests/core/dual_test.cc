#include "gyre/core/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using D1 = Dual<double, 1>;
using D2 = Dual<double, 2>;
using B1 = Dual<FloatBatch, 1>;

// The derivative against a central difference, and against a batch of floats.
template <class F>
void ExpectDerivative(const char* name, F f, double x) {
  const D1 y = f(D1::Variable(x, 0));
  EXPECT_EQ(y.value, f(x)) << name;
  const double h = 1e-5 * std::max(1.0, std::abs(x));
  const double slope = (f(x + h) - f(x - h)) / (2 * h);
  EXPECT_NEAR(y.grad[0], slope, 1e-7 * std::max(1.0, std::abs(slope)))
      << name << " at " << x;
  const B1 b = f(B1::Variable(FloatBatch(static_cast<float>(x)), 0));
  EXPECT_NEAR(b.grad[0].get(0), slope, 2e-5 * std::max(1.0, std::abs(slope)))
      << name << " at " << x;
}

#define GYRE_DERIVATIVE(word, x) \
  ExpectDerivative(              \
      #word, [](auto v) { return math::word(v); }, x)

TEST(Dual, WordsOnTheWholeLine) {
  for (const double x : {-2.3, -0.7, 0.2, 0.9, 1.7}) {
    GYRE_DERIVATIVE(abs, x);
    GYRE_DERIVATIVE(neg, x);
    GYRE_DERIVATIVE(exp, x);
    GYRE_DERIVATIVE(expm1, x);
    GYRE_DERIVATIVE(square, x);
    GYRE_DERIVATIVE(reciprocal, x);
    GYRE_DERIVATIVE(sin, x);
    GYRE_DERIVATIVE(cos, x);
    GYRE_DERIVATIVE(tan, x);
    GYRE_DERIVATIVE(atan, x);
    GYRE_DERIVATIVE(sinh, x);
    GYRE_DERIVATIVE(cosh, x);
    GYRE_DERIVATIVE(tanh, x);
    GYRE_DERIVATIVE(sigmoid, x);
    GYRE_DERIVATIVE(silu, x);
    GYRE_DERIVATIVE(softplus, x);
    GYRE_DERIVATIVE(erf, x);
    GYRE_DERIVATIVE(gelu, x);
    GYRE_DERIVATIVE(gelu_tanh, x);
    GYRE_DERIVATIVE(relu, x);
    GYRE_DERIVATIVE(floor, x);
    GYRE_DERIVATIVE(ceil, x);
    GYRE_DERIVATIVE(round, x);
    GYRE_DERIVATIVE(sign, x);
  }
}

TEST(Dual, WordsOfPositiveNumbersAndOfTheUnitInterval) {
  for (const double x : {0.1, 0.8, 3.7}) {
    GYRE_DERIVATIVE(log, x);
    GYRE_DERIVATIVE(log2, x);
    GYRE_DERIVATIVE(log1p, x);
    GYRE_DERIVATIVE(sqrt, x);
    GYRE_DERIVATIVE(rsqrt, x);
    ExpectDerivative(
        "pow 2.5", [](auto v) { return math::pow(v, 2.5); }, x);
    ExpectDerivative(
        "2^x", [](auto v) { return math::pow(2.0f, v); }, x);
    ExpectDerivative(
        "x^x", [](auto v) { return math::pow(v, v); }, x);
    ExpectDerivative(
        "xlogy", [](auto v) { return math::xlogy(v, v); }, x);
    ExpectDerivative(
        "atan2", [](auto v) { return math::atan2(v, 2); }, x);
    ExpectDerivative(
        "atan2'", [](auto v) { return math::atan2(2, v); }, x);
  }
  for (const double x : {-0.6, 0.1, 0.7}) {
    GYRE_DERIVATIVE(asin, x);
    GYRE_DERIVATIVE(acos, x);
  }
}

TEST(Dual, ArithmeticMixesWithConstantsOfAnyKind) {
  for (const double x : {-1.3, 0.6}) {
    ExpectDerivative(
        "arithmetic",
        [](auto v) { return 2 / (3.0f + v * v) - v / 4 + (1 - v) * 0.5; },
        x);
    ExpectDerivative(
        "compound",
        [](auto v) {
          auto s = v;
          s = s * 3 + 1.0f;
          s = s - -v;
          return +s;
        },
        x);
  }
  D1 x = D1::Variable(3.0, 0);
  x += 1;
  x *= x;
  x -= 0.5f;
  x /= 2.0;
  EXPECT_EQ(x.value, 7.75);
  EXPECT_EQ(x.grad[0], 4.0);
}

TEST(Dual, SeveralVariables) {
  const D2 x = D2::Variable(3.0, 0);
  const D2 y = D2::Variable(4.0, 1);
  const D2 r = math::sqrt(x * x + y * y);
  EXPECT_EQ(r.value, 5.0);
  EXPECT_DOUBLE_EQ(r.grad[0], 0.6);
  EXPECT_DOUBLE_EQ(r.grad[1], 0.8);
}

TEST(Dual, ConventionsWhereTheDerivativeIsAChoice) {
  EXPECT_EQ(math::abs(D1::Variable(0.0, 0)).grad[0], 0.0);
  EXPECT_EQ(math::relu(D1::Variable(0.0, 0)).grad[0], 0.0);
  EXPECT_EQ(math::sqrt(D1::Variable(0.0, 0)).grad[0], kInf);
  const D2 a = D2::Variable(1.0, 0);
  const D2 b = D2::Variable(1.0, 1);
  EXPECT_EQ(math::max(a, b).grad[0], 1.0);
  EXPECT_EQ(math::max(a, b).grad[1], 0.0);
  EXPECT_EQ(math::min(b, a).grad[0], 0.0);
  EXPECT_EQ(math::min(b, a).grad[1], 1.0);
  EXPECT_EQ(math::clip(D1::Variable(1.0, 0), 0, 1).grad[0], 1.0);
  EXPECT_EQ(math::clip(D1::Variable(1.5, 0), 0, 1).grad[0], 0.0);
}

TEST(Dual, MinAndMaxFollowTheNan) {
  const D2 bad = D2::Variable(kNan, 0);
  const D2 good = D2::Variable(1.0, 1);
  EXPECT_TRUE(std::isnan(math::max(bad, good).value));
  EXPECT_EQ(math::max(bad, good).grad[0], 1.0);
  EXPECT_TRUE(std::isnan(math::min(good, bad).value));
  EXPECT_EQ(math::min(good, bad).grad[0], 1.0);
  EXPECT_TRUE(std::isnan(math::relu(bad).value));
}

TEST(Dual, SelectTakesValueAndGradientOfOneBranch) {
  const D1 x = D1::Variable(0.0, 0);
  // log(0) and its infinite slope stay in the branch not taken.
  const D1 y = math::select(x > 0.0, math::log(x), 2.0 * x);
  EXPECT_EQ(y.value, 0.0);
  EXPECT_EQ(y.grad[0], 2.0);
  const B1 bx = B1::Variable(FloatBatch(0.0f), 0);
  const B1 by = math::select(bx > 0.0f, math::log(bx), 3.0f);
  EXPECT_EQ(by.value.get(5), 3.0f);
  EXPECT_EQ(by.grad[0].get(5), 0.0f);
}

TEST(Dual, ZeroWeightsDoNotMeetInfiniteSlopes) {
  const D1 zero(0.0);
  const D1 y = D1::Variable(0.0, 0);
  EXPECT_EQ(math::xlogy(zero, y).value, 0.0);
  EXPECT_EQ(math::xlogy(zero, y).grad[0], 0.0);
  EXPECT_EQ(math::pow(y, D1(2.0)).grad[0], 0.0);
  EXPECT_EQ(math::pow(D1::Variable(-3.0, 0), 2).grad[0], -6.0);
  EXPECT_EQ(math::pow(D1::Variable(-3.0, 0), D1(2.0)).grad[0], -6.0);
}

TEST(Dual, ComparisonsLookAtTheValues) {
  const D1 x = D1::Variable(1.0, 0);
  EXPECT_TRUE(x == 1.0 && 1.0 <= x && x >= 1 && !(x != D1(1.0)));
  EXPECT_TRUE(x < 2.0f && 0.5 < x);
  const B1 nan(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(xsimd::all(nan != nan));
  EXPECT_TRUE(xsimd::all(math::is_nan(nan)));
  EXPECT_FALSE(xsimd::any(math::is_finite(nan)));
}

}  // namespace
}  // namespace gyre::internal::inline tests

// The tail of a censored or truncated normal distribution, whose logarithm is
// a number long after the tail itself is none. Right values: mpmath.

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/autodiff/ops/cast.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

constexpr double kX[] = {4, 5, 8};
constexpr double kTail[] = {-18.68092549, -27.89403673, -67.35261915};
constexpr double kSlope[] = {-8.236376893, -10.19270005, -16.12311906};

// log(erfc(x) / 2), in two ways.
struct ByErfc {
  template <class T>
  T operator()(const T& x) const {
    return math::log_erfc(x) - 0.6931471805599453f;
  }
};
struct ByErfcx {
  template <class T>
  T operator()(const T& x) const {
    return math::log(0.5f * math::erfcx(x)) - x * x;
  }
};

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
void ExpectTails(const VarFunction& f, double tolerance) {
  for (const KernelSet kernels : {KernelSet::kFast, KernelSet::kReference}) {
    for (const bool jit : {true, false}) {
      Tensor x(DTypeOf<T>(), {3});
      for (int i = 0; i < 3; ++i) {
        x.data<T>()[i] = T(static_cast<float>(kX[i]));
      }
      const auto r = Evaluate(
          [&](Tape&, Vars v) {
            const Var y = f(v);
            return std::vector<Var>{y, Gradients(sum(y), v)[0]};
          },
          {x},
          {.kernels = kernels, .jit = jit});
      ASSERT_TRUE(r.ok()) << Message(r.status());
      const auto value = Values<T>((*r)[0]);
      const auto slope = Values<T>((*r)[1]);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(static_cast<double>(static_cast<Wide<T>>(value[i])),
                    kTail[i],
                    tolerance * std::abs(kTail[i]));
        EXPECT_NEAR(static_cast<double>(static_cast<Wide<T>>(slope[i])),
                    kSlope[i],
                    tolerance * std::abs(kSlope[i]));
      }
    }
  }
}

template <class T>
void ExpectTailsAllWays(double tolerance) {
  const double log_half = std::log(0.5);
  ExpectTails<T>([&](Vars v) { return log_erfc(v[0]) + log_half; }, tolerance);
  ExpectTails<T>([](Vars v) { return log_ndtr(-std::sqrt(2.0) * v[0]); },
                 tolerance);
  ExpectTails<T>([](Vars v) { return pointwise(ByErfc{}, v[0]); }, tolerance);
}

TEST(Tails, LogarithmsInF32) { ExpectTailsAllWays<float>(3e-7); }
TEST(Tails, LogarithmsInF64) {
  // The functor's ln 2 is a float.
  ExpectTails<double>([](Vars v) { return log_ndtr(-std::sqrt(2.0) * v[0]); },
                      1e-9);
  ExpectTails<double>([](Vars v) { return log_erfc(v[0]) + std::log(0.5); },
                      1e-9);
}
TEST(Tails, LogarithmsInHalves) {
  const auto f = [](Vars v) {
    return cast(log_erfc(v[0]) + std::log(0.5), v[0].dtype());
  };
  ExpectTails<BFloat16>(f, 8e-3);
  ExpectTails<Half>(f, 1e-3);
}
TEST(Tails, ByTheScaledTail) {
  ExpectTails<float>([](Vars v) { return pointwise(ByErfcx{}, v[0]); }, 5e-7);
  // Without the logarithm: erfc itself to its last digits.
  ExpectTails<float>([](Vars v) { return log(0.5 * erfc(v[0])); }, 5e-7);
}

TEST(Tails, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 5}, -1.2, 3);
  const Tensor positive = Numbers({2, 5}, 0.3, 6);
  std::vector<GradCase> cases;
  const std::pair<const char*, Var (*)(Traced)> words[] = {
      {"sech2", &sech2},
      {"erfc", &erfc},
      {"erfcx", &erfcx},
      {"ierfcx", &ierfcx},
      {"i2erfcx", &i2erfcx},
      {"log_erfc", &log_erfc},
      {"ndtr", &ndtr},
      {"log_ndtr", &log_ndtr},
      {"gaussian", &gaussian},
      {"normal_pdf", &normal_pdf}};
  for (const auto& [name, f] : words) {
    cases.push_back({name, {x}, [f = f](Vars v) { return f(v[0]); }});
  }
  cases.push_back({"lgamma", {positive}, [](Vars v) { return lgamma(v[0]); }});
  cases.push_back(
      {"digamma", {positive}, [](Vars v) { return digamma(v[0]); }});
  cases.push_back(
      {"polygamma", {positive}, [](Vars v) { return polygamma(2, v[0]); }});
  CheckGradients(cases);
}

// x^0 has slope 0 at 0, in a functor too; 0 log 0 is 0 under a gradient of 0.
struct ToTheZeroth {
  float power = 0;
  template <class T>
  T operator()(const T& x) const {
    return math::pow(x, power);
  }
};
TEST(Tails, PowersOfZero) {
  const Tensor zero = F64({1}, {0});
  const auto r = ValueAndGrads(
      [](Vars v) { return pointwise(ToTheZeroth{}, v[0]); }, {zero});
  EXPECT_EQ(Values(r[0])[0], 1);
  EXPECT_EQ(Values(r[1])[0], 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests

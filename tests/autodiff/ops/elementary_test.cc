#include "gyre/autodiff/ops/elementary.h"

#include <cmath>
#include <limits>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Elementary, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3}, 0.5, 2);
  CheckGradients({
      {"log10 (2,3)", {x}, [](Vars v) { return log10(v[0]); }},
      {"cbrt (2,3)", {x}, [](Vars v) { return cbrt(v[0]); }},
      {"cbrt negative", {x}, [](Vars v) { return cbrt(-v[0]); }},
      {"erfc (2,3)", {x}, [](Vars v) { return erfc(v[0]); }},
      {"erfc ()", {Numbers({})}, [](Vars v) { return erfc(v[0]); }},
  });
}

TEST(Elementary, ValuesAreThoseOfTheStandardLibrary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = F64({5}, {-8, 0, 1e-9, 2, nan});
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{
            is_nan(v[0]), log10(abs(v[0])), cbrt(v[0]), erfc(v[0])};
      },
      {x});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<bool>((*r)[0]),
            (std::vector<bool>{false, false, false, false, true}));
  for (int i = 0; i < 4; ++i) {
    const double at = Values(x)[i];
    EXPECT_DOUBLE_EQ(Values((*r)[1])[i], std::log10(std::abs(at)));
    EXPECT_NEAR(
        Values((*r)[2])[i], std::cbrt(at), 2e-15 * std::abs(std::cbrt(at)));
    EXPECT_NEAR(Values((*r)[3])[i], std::erfc(at), 3e-16);
  }
  EXPECT_TRUE(std::isnan(Values((*r)[2])[4]));
}

TEST(Elementary, CubeRootOfZeroHasNoSlope) {
  const auto r =
      ValueAndGrads([](Vars v) { return cbrt(v[0]); }, {F64({1}, {0})});
  EXPECT_EQ(Values(r[0])[0], 0);
  EXPECT_EQ(Values(r[1])[0], 0);
}

TEST(Elementary, StepsHaveGradientZero) {
  const Tensor x = F64({3}, {-1.5, 0, 2.3});
  using Function = Var (*)(Traced);
  for (const Function f : {&floor, &ceil, &round, &sign}) {
    const auto r = ValueAndGrads([f](Vars v) { return f(v[0]); }, {x});
    EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0, 0}));
  }
  const auto mixed =
      ValueAndGrads([](Vars v) { return v[0] - floor(v[0]); }, {x});
  EXPECT_EQ(Values(mixed[1]), (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/ops/safe.h"

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Safe, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4}, 0.5, 2, 1);
  const Tensor y = Numbers({2, 3, 4}, 0.5, 2, 2);
  const Tensor row = Numbers({4}, 0.5, 2, 3);
  CheckGradients({
      {"safe_sqrt (2,3,4)", {x}, [](Vars v) { return safe_sqrt(v[0]); }},
      {"safe_sqrt ()",
       {Numbers({}, 1, 2)},
       [](Vars v) { return safe_sqrt(v[0]); }},
      {"safe_log (2,3,4)", {x}, [](Vars v) { return safe_log(v[0]); }},
      {"safe_div (2,3,4) (2,3,4)",
       {x, y},
       [](Vars v) { return safe_div(v[0], v[1]); }},
      {"safe_div (2,3,4) (4)",
       {x, row},
       [](Vars v) { return safe_div(v[0], v[1]); }},
      {"safe_div (4) (2,3,4)",
       {row, x},
       [](Vars v) { return safe_div(v[0], v[1]); }},
      {"safe_norm axis 2", {x}, [](Vars v) { return safe_norm(v[0], {2}); }},
      {"safe_norm axes 0,-2",
       {x},
       [](Vars v) {
         return safe_norm(v[0], {0, -2});
       }},
      {"safe_norm keep",
       {x},
       [](Vars v) { return safe_norm(v[0], {1}, true); }},
      {"hypot (2,3,4) (4)", {x, row}, [](Vars v) { return hypot(v[0], v[1]); }},
      {"softplus floor",
       {Numbers({5}, -4, 4)},
       [](Vars v) { return softplus(v[0], 0.01); }},
  });
}

TEST(Safe, TheGuardHasItsValueAndGradientZero) {
  const Tensor x = F64({4}, {-1, 0, 4, kNan});
  auto r = ValueAndGrads([](Vars v) { return safe_sqrt(v[0]); }, {x});
  EXPECT_EQ(Values(r[0])[0], 0);
  EXPECT_EQ(Values(r[0])[1], 0);
  EXPECT_EQ(Values(r[0])[2], 2);
  EXPECT_TRUE(std::isnan(Values(r[0])[3]));
  EXPECT_EQ(Values(r[1])[0], 0);
  EXPECT_EQ(Values(r[1])[1], 0);
  EXPECT_EQ(Values(r[1])[2], 0.25);
  r = ValueAndGrads([](Vars v) { return safe_log(v[0], -30); }, {x});
  EXPECT_EQ(Values(r[0])[1], -30);
  EXPECT_EQ(Values(r[1])[1], 0);
  EXPECT_EQ(Values(r[1])[2], 0.25);
  EXPECT_TRUE(std::isnan(Values(r[0])[3]));
}

TEST(Safe, DivisionByZeroIsTheStatedValue) {
  auto r = ValueAndGrads([](Vars v) { return safe_div(v[0], v[1], 7); },
                         {F64({3}, {1, 0, 6}), F64({3}, {0, 0, 3})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{7, 7, 2}));
  EXPECT_EQ(Values(r[1])[0], 0);
  EXPECT_EQ(Values(r[1])[2], 1.0 / 3);
  EXPECT_EQ(Values(r[2])[0], 0);
  EXPECT_EQ(Values(r[2])[1], 0);
  r = ValueAndGrads([](Vars v) { return safe_div(v[0], 0.0); },
                    {F64({2}, {1, 2})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{0, 0}));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0}));
}

TEST(Safe, NormOfExtremeAndZeroVectors) {
  const Tensor x =
      Tensor::Of<float>({4, 2}, {3e30f, 4e30f, 3e-30f, 4e-30f, 0, 0, 3e38f, 0});
  const auto r =
      ValueAndGrads([](Vars v) { return safe_norm(v[0], {1}); }, {x});
  const auto y = Values<float>(r[0]);
  EXPECT_FLOAT_EQ(y[0], 5e30f);
  EXPECT_FLOAT_EQ(y[1], 5e-30f);
  EXPECT_EQ(y[2], 0);
  EXPECT_FLOAT_EQ(y[3], 3e38f);
  const auto g = Values<float>(r[1]);
  EXPECT_FLOAT_EQ(g[0], 0.6f);
  EXPECT_FLOAT_EQ(g[3], 0.8f);
  EXPECT_EQ(g[4], 0);
  EXPECT_EQ(g[5], 0);
  EXPECT_EQ(g[6], 1);
}

TEST(Safe, NormOfNothingAndOfNan) {
  auto r = ValueAndGrads([](Vars v) { return safe_norm(v[0], {1}); },
                         {Tensor(DType::kF64, {2, 0})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{0, 0}));
  r = ValueAndGrads([](Vars v) { return safe_norm(v[0], {0}); },
                    {F64({2}, {1, kNan})});
  EXPECT_TRUE(std::isnan(Values(r[0])[0]));
  r = ValueAndGrads([](Vars v) { return hypot(v[0], v[1]); },
                    {F64({2}, {0, 3}), F64({2}, {0, -4})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{0, 5}));
  EXPECT_EQ(Values(r[1])[0], 0);
  EXPECT_DOUBLE_EQ(Values(r[2])[1], -0.8);
}

TEST(Safe, SoftplusNeverFallsBelowItsFloor) {
  const auto r = ValueAndGrads([](Vars v) { return softplus(v[0], 0.5); },
                               {F64({3}, {-800, 0, 800})});
  EXPECT_EQ(Values(r[0])[0], 0.5);
  EXPECT_DOUBLE_EQ(Values(r[0])[1], 0.5 + std::log(2.0));
  EXPECT_DOUBLE_EQ(Values(r[0])[2], 800.5);
  EXPECT_NE(
      TraceError(
          [](Tape&, Vars v) { return std::vector<Var>{softplus(v[0], -1)}; },
          {Numbers({2})})
          .find("floor of 0 or more, got -1"),
      std::string::npos);
}

TEST(Safe, ErrorsNameTheAxis) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{safe_norm(v[0], {3})};
  };
  const std::string text = TraceError(f, {Numbers({2, 3})});
  EXPECT_NE(text.find("axis 3 is not an axis of shape (2, 3)"),
            std::string::npos);
  EXPECT_NE(text.find("safe_test.cc"), std::string::npos);
}

TEST(Safe, BFloat16StaysBFloat16) {
  const Tensor x(DType::kBF16, {3});
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{safe_sqrt(v[0]),
                                safe_norm(v[0], {0}),
                                safe_log(v[0]),
                                softplus(v[0], 1)};
      },
      {x});
  ASSERT_TRUE(r.ok()) << r.status();
  for (const Tensor& t : *r) EXPECT_EQ(t.dtype(), DType::kBF16);
}

}  // namespace
}  // namespace gyre::internal::inline tests

// prod, extremes, cumsum, argmax, any and all.

#include <cmath>
#include <limits>

#include "autodiff/ops/arg_reduce.h"
#include "autodiff/ops/elementwise.h"
#include "autodiff/ops/logical_reduce.h"
#include "autodiff/ops/scan.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ReduceMore, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4}, 0.5, 1.5);
  std::vector<GradCase> cases;
  const std::vector<std::vector<int>> axes = {
      {0}, {1}, {-1}, {0, 2}, {0, 1, 2}};
  for (const auto& a : axes) {
    const std::string text = Cat(" ", a.front(), "..", a.back());
    cases.push_back(
        {"prod" + text, {x}, [a](Vars v) { return prod(v[0], a); }});
  }
  cases.push_back({"prod with a zero",
                   {F64({2, 3}, {0, 2, 3, 0, 0, 3})},
                   [](Vars v) { return prod(v[0], {1}, true) + v[0]; }});
  for (int axis = -1; axis < 2; ++axis) {
    for (const bool reverse : {false, true}) {
      cases.push_back({Cat("cumsum ", axis, reverse ? " reverse" : ""),
                       {x},
                       [=](Vars v) { return cumsum(v[0], axis, reverse); }});
    }
  }
  CheckGradients(cases);
}

TEST(ReduceMore, ProductIsRightWithZeros) {
  const auto f = [](Vars v) { return prod(v[0], {1}); };
  auto r = ValueAndGrads(f, {F64({3, 3}, {2, 3, 4, 2, 0, 4, 0, 0, 4})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{24, 0, 0}));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{12, 8, 6, 0, 8, 0, 0, 0, 0}));
  // Where the product itself overflows, the products of the others do not.
  r = ValueAndGrads(f, {Tensor::Of<float>({1, 2}, {1e30f, 1e30f})});
  EXPECT_EQ(Values<float>(r[1]), (std::vector<float>{1e30f, 1e30f}));
  r = ValueAndGrads(f, {Tensor(DType::kF64, {2, 0})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{1, 1}));
}

TEST(ReduceMore, ExtremesShareTiesAndHideNoNan) {
  auto r = ValueAndGrads([](Vars v) { return max(v[0], {1}); },
                         {F64({2, 3}, {1, 5, 5, kNan, 2, 3})});
  EXPECT_EQ(Values(r[0])[0], 5);
  EXPECT_TRUE(std::isnan(Values(r[0])[1]));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0.5, 0.5, 0, 0, 0}));
  r = ValueAndGrads([](Vars v) { return min(v[0], {1}); },
                    {Tensor(DType::kF64, {1, 0})});
  EXPECT_EQ(Values(r[0])[0], std::numeric_limits<double>::infinity());
}

TEST(Cumsum, BothDirections) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{
            cumsum(v[0], 1), cumsum(v[0], 1, true), cumsum(v[0], 0)};
      },
      {F64({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values((*r)[0]), (std::vector<double>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(Values((*r)[1]), (std::vector<double>{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(Values((*r)[2]), (std::vector<double>{1, 2, 3, 5, 7, 9}));
}

TEST(Cumsum, LongSumsInF32KeepTheirDigits) {
  Tensor x(DType::kF32, {1 << 20});
  for (float& v : x.data<float>()) v = 0.1f;
  const auto r = ValueAndGrads([](Vars v) { return cumsum(v[0], 0); }, {x});
  EXPECT_FLOAT_EQ(Values<float>(r[0]).back(), 0.1f * (1 << 20));
}

TEST(Cumsum, EdgesAndErrors) {
  const auto r = ValueAndGrads([](Vars v) { return cumsum(v[0], 1); },
                               {Tensor(DType::kF64, {3, 0})});
  EXPECT_EQ(r[0].elements(), 0);
  const auto scalar = [](Tape&, Vars v) {
    return std::vector<Var>{cumsum(v[0], 0)};
  };
  EXPECT_NE(TraceError(scalar, {Numbers({})}).find("axis 0"),
            std::string::npos);
  EXPECT_NE(TraceError(scalar, {Tensor(DType::kI32, {2})}).find("got i32"),
            std::string::npos);
  const auto eight = ValueAndGrads([](Vars v) { return cumsum(v[0], 7); },
                                   {Numbers({1, 2, 1, 2, 1, 2, 1, 2})});
  EXPECT_EQ(eight[0].shape().rank(), 8);
}

TEST(Arg, FirstOfEqualsAndNanFirst) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{
            argmax(v[0], 1), argmin(v[0], 1), argmax(v[0], 0, true)};
      },
      {F64({3, 4}, {1, 7, 7, 0, 3, kNan, 9, kNan, -1, -1, -2, -2})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<std::int32_t>((*r)[0]),
            (std::vector<std::int32_t>{1, 1, 0}));
  EXPECT_EQ(Values<std::int32_t>((*r)[1]),
            (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ((*r)[2].shape(), Shape({1, 4}));
  EXPECT_EQ(Values<std::int32_t>((*r)[2]),
            (std::vector<std::int32_t>{1, 1, 1, 1}));
}

TEST(Arg, HasNoGradientAndSaysWhatItNeeds) {
  const auto r = ValueAndGrads(
      [](Vars v) { return v[0] * cast(argmax(v[0], 0, true), DType::kF64); },
      {F64({3}, {1, 4, 2})});
  EXPECT_EQ(Values(r[1]), (std::vector<double>{1, 1, 1}));
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{argmin(v[0], 0)};
  };
  EXPECT_NE(TraceError(f, {Tensor(DType::kF32, {0, 2})})
                .find("axis 0 of shape (0, 2)"),
            std::string::npos);
  EXPECT_NE(TraceError(f, {Tensor(DType::kI64, {2})}).find("got i64"),
            std::string::npos);
}

TEST(AnyAll, NumbersMasksNanAndNothing) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{
        any(v[0], {1}), all(v[0], {1}), any(v[0] > 0.0), all(v[0], {1}, true)};
  };
  auto r = Evaluate(f, {F64({3, 2}, {0, 0, 0, kNan, -1, 2})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<bool>((*r)[0]), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(Values<bool>((*r)[1]), (std::vector<bool>{false, false, true}));
  EXPECT_TRUE((*r)[2].data<bool>()[0]);
  EXPECT_EQ((*r)[3].shape(), Shape({3, 1}));
  r = Evaluate(f, {Tensor(DType::kF64, {1, 0})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_FALSE((*r)[0].data<bool>()[0]);
  EXPECT_TRUE((*r)[1].data<bool>()[0]);
}

TEST(AnyAll, AskEveryRank) {
  const auto results =
      OnRanks({F64({2}, {0, 0}), F64({2}, {0, 1})}, [](Tape&, Var x) {
        return std::vector<Var>{any(x), all(x), all(x == x)};
      });
  for (const auto& r : results) {
    EXPECT_TRUE(r[0].data<bool>()[0]);
    EXPECT_FALSE(r[1].data<bool>()[0]);
    EXPECT_TRUE(r[2].data<bool>()[0]);
  }
}

}  // namespace
}  // namespace gyre

#include "gyre/autodiff/ops/statistics.h"

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Statistics, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4});
  std::vector<GradCase> cases = {
      {"logsumexp all", {x}, [](Vars v) { return logsumexp(v[0]); }},
      {"var all", {x}, [](Vars v) { return var(v[0]); }},
      {"logsumexp ()", {Numbers({})}, [](Vars v) { return logsumexp(v[0]); }}};
  const std::vector<std::vector<int>> axes = {
      {0}, {1}, {-1}, {0, 2}, {2, 0, 1}};
  for (const auto& a : axes) {
    const std::string text = Cat(" ", a.front(), "..", a.back());
    cases.push_back(
        {"logsumexp" + text, {x}, [a](Vars v) { return logsumexp(v[0], a); }});
    cases.push_back({"var" + text, {x}, [a](Vars v) { return var(v[0], a); }});
    cases.push_back({"var ddof 1 keep" + text, {x}, [a](Vars v) {
                       return var(v[0], a, 1, true);
                     }});
  }
  CheckGradients(cases);
}

TEST(Statistics, LogsumexpDoesNotOverflow) {
  const auto f = [](Vars v) { return logsumexp(v[0], {1}); };
  auto r =
      ValueAndGrads(f, {Tensor::Of<float>({2, 2}, {1000, 1000, -2000, -2001})});
  EXPECT_FLOAT_EQ(Values<float>(r[0])[0], 1000 + std::log(2.0f));
  EXPECT_FLOAT_EQ(Values<float>(r[0])[1], -2000 + std::log1p(std::exp(-1.0f)));
  EXPECT_FLOAT_EQ(Values<float>(r[1])[0], 0.5f);
}

TEST(Statistics, LogsumexpOfInfinitiesAndNan) {
  const auto f = [](Vars v) { return logsumexp(v[0], {1}); };
  auto r = ValueAndGrads(
      f, {F64({4, 2}, {-kInf, 1, -kInf, -kInf, kInf, 1, kNan, 1})});
  const auto y = Values(r[0]);
  EXPECT_DOUBLE_EQ(y[0], 1);
  EXPECT_EQ(y[1], -kInf);
  EXPECT_EQ(y[2], kInf);
  EXPECT_TRUE(std::isnan(y[3]));
  const auto g = Values(r[1]);
  EXPECT_EQ(g[0], 0);
  EXPECT_EQ(g[1], 1);
  EXPECT_EQ(g[2], 0);
  EXPECT_EQ(g[3], 0);
  r = ValueAndGrads(f, {Tensor(DType::kF64, {2, 0})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{-kInf, -kInf}));
}

TEST(Statistics, VarianceKeepsItsDigitsUnderALargeMean) {
  const auto r = ValueAndGrads(
      [](Vars v) { return var(v[0], {0}, 1); },
      {Tensor::Of<float>({4}, {1e6f + 1, 1e6f + 2, 1e6f + 3, 1e6f + 4})});
  EXPECT_FLOAT_EQ(Values<float>(r[0])[0], 5.0f / 3);
}

TEST(Statistics, VarianceOfTooFewIsNan) {
  auto r =
      ValueAndGrads([](Vars v) { return var(v[0], {0}, 1); }, {F64({1}, {3})});
  EXPECT_TRUE(std::isnan(Values(r[0])[0]));
  r = ValueAndGrads([](Vars v) { return var(v[0], {0}); },
                    {Tensor(DType::kF64, {0})});
  EXPECT_TRUE(std::isnan(Values(r[0])[0]));
}

TEST(Statistics, GlobalFormsSeeEveryRank) {
  const std::vector<Tensor> shards = {F64({2}, {1, 2}), F64({2}, {3, 700})};
  const auto results = OnRanks(shards, [](Tape&, Var x) {
    const Var wrt[] = {x};
    const Var total = logsumexp(x);
    return std::vector<Var>{total, Gradients(total, wrt)[0], var(x)};
  });
  for (const auto& r : results) {
    EXPECT_DOUBLE_EQ(Values(r[0])[0], 700);
    EXPECT_NEAR(
        Values(r[2])[0], (1 + 4 + 9 + 490000) / 4.0 - 176.5 * 176.5, 1e-9);
  }
  EXPECT_DOUBLE_EQ(Values(results[1][1])[1], 1);
}

TEST(Statistics, ErrorsNameTheAxis) {
  const auto twice = [](Tape&, Vars v) {
    return std::vector<Var>{logsumexp(v[0], {0, -2})};
  };
  EXPECT_NE(TraceError(twice, {Numbers({2, 3})}).find("named twice"),
            std::string::npos);
  const auto far = [](Tape&, Vars v) {
    return std::vector<Var>{var(v[0], {2})};
  };
  EXPECT_NE(TraceError(far, {Numbers({2, 3})}).find("var: axis 2"),
            std::string::npos);
}

TEST(Statistics, HalfTypesComputeInF32) {
  Tensor x(DType::kBF16, {300});
  for (BFloat16& v : x.data<BFloat16>()) v = BFloat16(1.0f);
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{logsumexp(v[0], {0}), var(v[0], {0})};
      },
      {x});
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ((*r)[0].dtype(), DType::kBF16);
  EXPECT_NEAR(static_cast<float>((*r)[0].data<BFloat16>()[0]),
              1 + std::log(300.0),
              0.03);
  EXPECT_EQ(static_cast<float>((*r)[1].data<BFloat16>()[0]), 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests

// Products and extremes; sums and means are in grad_table_test.cc.

#include "gyre/autodiff/ops/reduce.h"

#include <cmath>
#include <limits>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Reduce, GradientsMatchDifferences) {
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
  CheckGradients(cases);
}

TEST(Reduce, ProductIsRightWithZeros) {
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

TEST(Reduce, ExtremesShareTiesAndHideNoNan) {
  auto r = ValueAndGrads([](Vars v) { return max(v[0], {1}); },
                         {F64({2, 3}, {1, 5, 5, kNan, 2, 3})});
  EXPECT_EQ(Values(r[0])[0], 5);
  EXPECT_TRUE(std::isnan(Values(r[0])[1]));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0.5, 0.5, 0, 0, 0}));
  r = ValueAndGrads([](Vars v) { return min(v[0], {1}); },
                    {Tensor(DType::kF64, {1, 0})});
  EXPECT_EQ(Values(r[0])[0], std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace gyre::internal::inline tests

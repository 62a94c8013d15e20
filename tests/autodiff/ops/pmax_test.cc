#include "gyre/autodiff/ops/pmax.h"

#include <cmath>
#include <limits>

#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<Var> ExtremesAndGradients(Tape&, Var x) {
  const Var wrt[] = {x};
  const Var largest = pmax(x);
  const Var smallest = pmin(x);
  return {largest,
          smallest,
          Gradients(sum(largest), wrt)[0],
          Gradients(sum(smallest), wrt)[0]};
}

TEST(Pmax, EveryRankHasTheExtremeAndTiesShare) {
  const auto results =
      OnRanks({F64({2}, {1, 7}), F64({2}, {3, 7}), F64({2}, {-2, 7})},
              &ExtremesAndGradients);
  for (const auto& r : results) {
    EXPECT_EQ(Values(r[0]), (std::vector<double>{3, 7}));
    EXPECT_EQ(Values(r[1]), (std::vector<double>{-2, 7}));
  }
  EXPECT_EQ(Values(results[0][2])[0], 0);
  EXPECT_EQ(Values(results[1][2])[0], 1);
  EXPECT_DOUBLE_EQ(Values(results[2][2])[1], 1.0 / 3);
  EXPECT_EQ(Values(results[2][3])[0], 1);
}

TEST(Pmax, NanOnOneRankIsNanOnAll) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto results =
      OnRanks({F64({1}, {1}), F64({1}, {nan})}, &ExtremesAndGradients);
  for (const auto& r : results) {
    EXPECT_TRUE(std::isnan(Values(r[0])[0]));
    EXPECT_TRUE(std::isnan(Values(r[1])[0]));
    EXPECT_EQ(Values(r[2])[0], 0);
  }
}

TEST(Pmax, WithoutAMeshIsTheValueItself) {
  const auto r =
      ValueAndGrads([](Vars v) { return pmax(v[0]); }, {F64({2}, {1, 2})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{1, 2}));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/ops/masked.h"

#include <cmath>
#include <limits>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Masked, GradientsMatchDifferences) {
  const Tensor x = Numbers({3, 4});
  const Tensor w = Numbers({4}, -1, 1, 2);
  const Tensor scalar = Numbers({});
  const auto mask = [](Vars v) { return stop_gradient(v[0]) > -0.7; };
  CheckGradients({
      {"masked_var (3,4)",
       {x},
       [&](Vars v) { return masked_var(v[0], mask(v)); }},
      {"masked_var ddof 1",
       {x},
       [&](Vars v) { return masked_var(v[0], mask(v), 1); }},
      {"masked_var row mask",
       {x, w},
       [](Vars v) { return masked_var(v[0], v[1] > 0.0); }},
      {"masked_var ()",
       {scalar},
       [&](Vars v) { return masked_var(v[0], v[0] == v[0]); }},
      {"masked_max (3,4)",
       {x},
       [&](Vars v) { return masked_max(v[0], mask(v)); }},
      {"masked_min (3,4)",
       {x},
       [&](Vars v) { return masked_min(v[0], mask(v)); }},
      {"masked_max row mask",
       {x, w},
       [](Vars v) { return masked_max(v[0], v[1] > 0.0); }},
      {"masked_sum (3,4)",
       {x},
       [&](Vars v) { return masked_sum(v[0], mask(v)); }},
      {"masked_mean (3,4)",
       {x},
       [&](Vars v) { return masked_mean(v[0], mask(v)); }},
  });
}

// Under the mask lie a NaN and both infinities.
TEST(Masked, NothingComesFromUnderTheMask) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = F64({5}, {kNan, 1, inf, 5, -inf});
  const Tensor mask = F64({5}, {0, 1, 0, 1, 0});
  using Reduce = Var (*)(Traced, Traced);
  const std::pair<Reduce, double> cases[] = {
      {[](Traced a, Traced m) { return masked_var(a, m); }, 4},
      {[](Traced a, Traced m) { return masked_var(a, m, 1); }, 8},
      {[](Traced a, Traced m) { return masked_max(a, m); }, 5},
      {[](Traced a, Traced m) { return masked_min(a, m); }, 1},
      {&masked_sum, 6},
      {&masked_mean, 3}};
  for (const auto& [reduce, expected] : cases) {
    const auto f = [reduce = reduce](Vars v) {
      return reduce(v[0], stop_gradient(v[1]));
    };
    const auto r = ValueAndGrads(f, {x, mask});
    EXPECT_DOUBLE_EQ(Values(r[0])[0], expected);
    const auto g = Values(r[1]);
    for (const int hidden : {0, 2, 4}) EXPECT_EQ(g[hidden], 0);
    EXPECT_TRUE(std::isfinite(g[1]));
    EXPECT_TRUE(std::isfinite(g[3]));
  }
}

TEST(Masked, NothingCounted) {
  const Tensor x = F64({2}, {kNan, 3});
  const Tensor mask = F64({2}, {0, 0});
  auto r =
      ValueAndGrads([](Vars v) { return masked_var(v[0], v[1]); }, {x, mask});
  EXPECT_EQ(Values(r[0])[0], 0);
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0}));
  r = ValueAndGrads([](Vars v) { return masked_max(v[0], v[1]); }, {x, mask});
  EXPECT_EQ(Values(r[0])[0], 0);
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0}));
  r = ValueAndGrads([](Vars v) { return masked_min(v[0], v[1], 9); },
                    {x, mask});
  EXPECT_EQ(Values(r[0])[0], 9);
  // One cell has no spread with ddof 1.
  r = ValueAndGrads([](Vars v) { return masked_var(v[0], v[1], 1); },
                    {x, F64({2}, {0, 1})});
  EXPECT_EQ(Values(r[0])[0], 0);
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0}));
  r = ValueAndGrads([](Vars v) { return masked_max(v[0], v[0]); },
                    {Tensor(DType::kF64, {0, 3})});
  EXPECT_EQ(Values(r[0])[0], 0);
}

TEST(Masked, ACountedNanShows) {
  const Tensor x = F64({3}, {kNan, 3, 4});
  const Tensor mask = F64({3}, {1, 1, 0});
  const auto r =
      ValueAndGrads([](Vars v) { return masked_max(v[0], v[1]); }, {x, mask});
  EXPECT_TRUE(std::isnan(Values(r[0])[0]));
}

TEST(Masked, TiesShareTheGradient) {
  const auto r = ValueAndGrads(
      [](Vars v) { return masked_max(v[0], stop_gradient(v[1])); },
      {F64({4}, {2, 2, 1, 2}), F64({4}, {1, 1, 1, 0})});
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0.5, 0.5, 0, 0}));
}

TEST(Masked, SeesTheCellsOfEveryRank) {
  // Rank 1 has no cell that counts, rank 2 no cell at all below zero.
  const std::vector<Tensor> shards = {F64({3}, {1, 5, kNan}),
                                      F64({3}, {kNan, kNan, kNan}),
                                      F64({3}, {9, 9, 3})};
  const auto results = OnRanks(shards, [](Tape&, Var x) {
    const Var mask = x == x;
    const Var results[] = {
        masked_var(x, mask), masked_max(x, mask), masked_min(x, mask)};
    std::vector<Var> all(results, results + 3);
    for (const Var& y : results) {
      const Var wrt[] = {x};
      all.push_back(Gradients(y, wrt)[0]);
    }
    return all;
  });
  const double mean = 27.0 / 5;
  const double var = (1 + 25 + 81 + 81 + 9) / 5.0 - mean * mean;
  for (const auto& r : results) {
    EXPECT_NEAR(Values(r[0])[0], var, 1e-12);
    EXPECT_EQ(Values(r[1])[0], 9);
    EXPECT_EQ(Values(r[2])[0], 1);
  }
  EXPECT_NEAR(Values(results[0][3])[0], 2 * (1 - mean) / 5, 1e-12);
  EXPECT_EQ(Values(results[1][3]), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(Values(results[2][4]), (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(Values(results[0][5]), (std::vector<double>{1, 0, 0}));
}

TEST(Masked, AMaskThatDoesNotBroadcastIsAnError) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{masked_var(v[0], v[1])};
  };
  EXPECT_NE(TraceError(f, {Numbers({2, 3}), Numbers({2})}).find("(2)"),
            std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

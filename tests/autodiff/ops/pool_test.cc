#include "gyre/autodiff/ops/pool.h"

#include "tests/autodiff/ops/table.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

TEST(Pool, GradientsMatchFiniteDifferences) {
  const PoolOptions options[] = {
      {},
      {.window = {3, 2}, .stride = {{1, 1}}, .padding = {1, 1}},
      {.window = {3, 3},
       .stride = {{2, 2}},
       .padding = {1, 1},
       .count_padding = false},
      {.window = {1, 4}, .stride = {{1, 3}}}};
  std::vector<table::Case> cases;
  for (const PoolOptions& o : options) {
    cases.push_back({"avg_pool " + o.ToString(),
                     {TableNumbers({2, 2, 4, 5}, -2, 2, 1)},
                     [o](Vars v) { return avg_pool(v[0], o); }});
    cases.push_back({"max_pool " + o.ToString(),
                     {TableNumbers({2, 2, 4, 5}, -2, 2, 1)},
                     [o](Vars v) { return max_pool(v[0], o); }});
  }
  table::Check(cases);
  table::CheckTwice(cases);
}

// Value, and the gradient of the sum.
std::vector<Tensor> WithGradient(const VarFunction& f, const Tensor& x) {
  const auto out = Evaluate(
      [&](Tape&, Vars v) {
        const Var y = f(v);
        return std::vector<Var>{y, Gradients(sum(y), v)[0]};
      },
      {x});
  EXPECT_TRUE(out.ok()) << Message(out.status());
  return *out;
}

TEST(Pool, TiesGoToTheFirstMaximum) {
  const auto out = WithGradient([](Vars v) { return max_pool(v[0]); },
                                Tensor::Of<float>({2, 2}, {1, 3, 3, 3}));
  EXPECT_THAT(table::Doubles<float>(out[0]), testing::ElementsAre(3));
  EXPECT_THAT(table::Doubles<float>(out[1]), testing::ElementsAre(0, 1, 0, 0));
}

TEST(Pool, NanWinsAndTakesTheGradient) {
  const auto out = WithGradient([](Vars v) { return max_pool(v[0]); },
                                Tensor::Of<float>({2, 4},
                                                  {1,
                                                   kNan,
                                                   1,
                                                   2,  //
                                                   9,
                                                   kNan,
                                                   3,
                                                   4}));
  EXPECT_TRUE(AllNear<float>(out[0].data<float>(), {kNan, 4}, 0));
  EXPECT_THAT(table::Doubles<float>(out[1]),
              testing::ElementsAre(0, 1, 0, 0, 0, 0, 0, 1));
}

// Negative numbers at the edge: padding is not a zero.
TEST(Pool, MaximumNeverChoosesPadding) {
  const auto out = WithGradient(
      [](Vars v) {
        return max_pool(v[0], {.stride = {{2, 2}}, .padding = {1, 1}});
      },
      Tensor::Of<float>({2, 2}, {-1, -2, -3, -4}));
  EXPECT_THAT(table::Doubles<float>(out[0]),
              testing::ElementsAre(-1, -2, -3, -4));
}

TEST(Pool, AveragesCountPaddingOrNot) {
  for (const bool count : {true, false}) {
    const auto out = WithGradient(
        [count](Vars v) {
          return avg_pool(v[0],
                          {.window = {1, 2},
                           .stride = {{1, 2}},
                           .padding = {0, 1},
                           .count_padding = count});
        },
        Tensor::Of<float>({1, 2}, {4, 8}));
    EXPECT_THAT(table::Doubles<float>(out[0]),
                testing::ElementsAre(count ? 2 : 4, count ? 4 : 8));
  }
}

TEST(Pool, ShortFloatsAreComputedWide) {
  const Tensor x = TableNumbers<BFloat16>({4, 4}, -2, 2, 3);
  const auto run = [](const Tensor& t) {
    return (*Evaluate(
        [](Tape&, Vars v) { return std::vector<Var>{avg_pool(v[0])}; },
        {t}))[0];
  };
  const Tensor y = run(x);
  EXPECT_EQ(y.dtype(), DType::kBF16);
  EXPECT_EQ(table::Doubles<BFloat16>(y),
            table::Doubles<BFloat16>(table::As<BFloat16, float>(
                run(table::As<float, BFloat16>(x)))));
}

TEST(Pool, ErrorsSayWhatWasExpected) {
  const auto f = [](const PoolOptions& o) {
    return TraceError(
        [o](Tape&, Vars v) { return std::vector<Var>{max_pool(v[0], o)}; },
        {Tensor::Zeros({2, 3})});
  };
  EXPECT_THAT(f({.window = {3, 3}}),
              testing::HasSubstr("is larger than x (2, 3)"));
  EXPECT_THAT(f({.padding = {2, 0}}), testing::HasSubstr("below the window"));
  EXPECT_THAT(f({.stride = {{0, 1}}}),
              testing::HasSubstr("max_pool: expected window and stride"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

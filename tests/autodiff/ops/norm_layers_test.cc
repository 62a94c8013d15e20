#include "gyre/autodiff/ops/norm_layers.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

// x, gain, bias under one set of axes.
void AddAxes(std::vector<table::Case>& cases,
             const Shape& x,
             const std::vector<int>& axes,
             const Shape& each) {
  const std::string text = Cat(" axes ", axes.front(), "/", axes.size());
  cases.push_back({"layer_norm" + text,
                   {TableNumbers(x, -2, 3, 1),
                    TableNumbers(each, 0.5, 2, 2),
                    TableNumbers(each, -1, 1, 3)},
                   [axes](Vars v) {
                     return layer_norm(
                         v[0], {.axes = axes, .gain = v[1], .bias = v[2]});
                   }});
  cases.push_back({"rms_norm" + text,
                   {TableNumbers(x, -2, 3, 1), TableNumbers(each, 0.5, 2, 2)},
                   [axes](Vars v) {
                     return rms_norm(v[0], {.axes = axes, .gain = v[1]});
                   }});
  cases.push_back(
      {"layer_norm plain" + text, {TableNumbers(x, -2, 3, 1)}, [axes](Vars v) {
         return layer_norm(v[0], {.axes = axes});
       }});
}

std::vector<table::Case> CasesNormLayers() {
  std::vector<table::Case> cases;
  AddAxes(cases, {3, 5}, {-1}, {5});
  AddAxes(cases, {2, 4, 3}, {1}, {4});
  AddAxes(cases, {2, 2, 3}, {2, 0}, {2, 3});
  for (const int groups : {1, 2, 4}) {
    cases.push_back({Cat("group_norm ", groups),
                     {TableNumbers({2, 4, 2, 3}, -2, 3, 1),
                      TableNumbers({4}, 0.5, 2, 2),
                      TableNumbers({4}, -1, 1, 3)},
                     [groups](Vars v) {
                       return group_norm(
                           v[0], groups, {.gain = v[1], .bias = v[2]});
                     }});
  }
  cases.push_back(
      {"group_norm (batch, c)",
       {TableNumbers({3, 6}, -2, 3, 1), TableNumbers({6}, -1, 1, 3)},
       [](Vars v) { return group_norm(v[0], 2, {.bias = v[1]}); }});
  return cases;
}

TEST(NormLayers, GradientsMatchFiniteDifferences) {
  table::Check(CasesNormLayers());
}

TEST(NormLayers, SecondDerivatives) { table::CheckTwice(CasesNormLayers()); }

TEST(NormLayers, FastKernelsMatchPlainOnes) {
  for (const std::int64_t n : {1, 7, 16, 131, 1300}) {
    table::CompareKernels(
        {Cat("layer_norm ", n),
         {TableNumbers<float>({70, n}, -2, 5, 1),
          TableNumbers<float>({n}, -1, 1, 2),
          TableNumbers<float>({n}, -1, 1, 3)},
         [](Vars v) {
           return layer_norm(v[0], {.eps = 1e-3, .gain = v[1], .bias = v[2]});
         }},
        2e-4);
    table::CompareKernels({Cat("group_norm ", n),
                           {TableNumbers<float>({2, 6, n}, -2, 5, 1),
                            TableNumbers<float>({6}, -1, 1, 2)},
                           [](Vars v) {
                             return group_norm(
                                 v[0], 3, {.eps = 1e-2, .gain = v[1]});
                           }},
                          2e-4 * static_cast<double>(n));
  }
}

TEST(NormLayers, ARowOfEqualNumbersGivesTheBias) {
  const Tensor x = Tensor::Of<float>({1, 3}, {1e6f, 1e6f, 1e6f});
  const auto out = Evaluate(
      [](Tape&, Vars v) { return std::vector<Var>{layer_norm(v[0])}; }, {x});
  EXPECT_TRUE(AllNear((*out)[0].data<float>(), {0, 0, 0}, 0));
}

// A large mean must not eat the variance: two passes.
TEST(NormLayers, KeepsTheVarianceUnderALargeMean) {
  const Tensor x = Tensor::Of<float>({4}, {10001, 10002, 10003, 10004});
  const auto out = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{layer_norm(v[0], {.eps = 0})};
      },
      {x});
  EXPECT_TRUE(AllNear((*out)[0].data<float>(),
                      {-1.34164079, -0.4472136, 0.4472136, 1.34164079},
                      1e-6));
}

TEST(NormLayers, ShortFloatsAreComputedWide) {
  const Tensor x = TableNumbers<Half>({4, 9}, -4, 4, 6);
  const auto run = [](const Tensor& t) {
    return (*Evaluate(
        [](Tape&, Vars v) { return std::vector<Var>{layer_norm(v[0])}; },
        {t}))[0];
  };
  const Tensor expected =
      table::As<Half, float>(run(table::As<float, Half>(x)));
  EXPECT_TRUE(AllNear<float>(table::As<float, Half>(run(x)).data<float>(),
                             table::Doubles<Half>(expected),
                             0));
}

TEST(NormLayers, EmptyTensorsGiveEmptyResults) {
  for (const Shape& shape : {Shape({0, 3}), Shape({3, 0})}) {
    const auto out = Evaluate(
        [](Tape&, Vars v) {
          const Var y = layer_norm(v[0]);
          return std::vector<Var>{y, Gradients(sum(y), v)[0]};
        },
        {Tensor::Zeros(shape)});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    EXPECT_EQ((*out)[1].shape(), shape);
  }
}

TEST(NormLayers, ErrorsSayWhatWasExpected) {
  const auto gain = [](Tape&, Vars v) {
    return std::vector<Var>{layer_norm(v[0], {.gain = v[1]})};
  };
  EXPECT_THAT(TraceError(gain, {Tensor::Zeros({2, 3}), Tensor::Zeros({2})}),
              testing::HasSubstr("expected a gain of f32 (3)"));
  const auto groups = [](Tape&, Vars v) {
    return std::vector<Var>{group_norm(v[0], 4)};
  };
  EXPECT_THAT(TraceError(groups, {Tensor::Zeros({2, 6, 3})}),
              testing::HasSubstr("divide into 4 groups"));
  const auto twice = [](Tape&, Vars v) {
    return std::vector<Var>{rms_norm(v[0], {.axes = {1, -1}})};
  };
  EXPECT_THAT(TraceError(twice, {Tensor::Zeros({2, 6})}),
              testing::HasSubstr("none named twice"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/ops/softmax.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "tests/autodiff/ops/table.h"
#include "tests/support/evaluate.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

std::vector<table::Case> CasesSoftmax() {
  std::vector<table::Case> cases;
  for (const int axis : {-1, 0, 1}) {
    cases.push_back({Cat("softmax axis ", axis),
                     {TableNumbers({2, 3, 5}, -3, 3, 1)},
                     [axis](Vars v) { return softmax(v[0], axis); }});
    cases.push_back({Cat("log_softmax axis ", axis),
                     {TableNumbers({2, 3, 5}, -3, 3, 1)},
                     [axis](Vars v) { return log_softmax(v[0], axis); }});
  }
  cases.push_back({"softmax of one",
                   {TableNumbers({3, 1}, -3, 3, 1)},
                   [](Vars v) { return softmax(v[0]); }});
  cases.push_back(
      {"cross_entropy soft",
       {TableNumbers({2, 5}, -3, 3, 1), TableNumbers({2, 5}, 0, 1, 2)},
       [](Vars v) { return cross_entropy(v[0], v[1]); }});
  return cases;
}

TEST(Softmax, GradientsMatchFiniteDifferences) { table::Check(CasesSoftmax()); }

TEST(Softmax, SecondDerivatives) { table::CheckTwice(CasesSoftmax()); }

TEST(Softmax, FastKernelsMatchPlainOnes) {
  for (const std::int64_t n : {1, 7, 8, 33, 1300}) {
    const std::vector<Tensor> x = {TableNumbers<float>({3, n}, -9, 9, 3)};
    table::CompareKernels({"softmax", x, [](Vars v) { return softmax(v[0]); }},
                          2e-6);
    table::CompareKernels(
        {"log_softmax", x, [](Vars v) { return log_softmax(v[0]); }}, 3e-2);
  }
}

// Value and gradient of the first element of each row, by both kernel sets.
void ExpectRow(bool log,
               const Tensor& x,
               const std::vector<double>& y,
               const std::vector<double>& dx) {
  for (const KernelSet set : {KernelSet::kFast, KernelSet::kReference}) {
    const auto out = Evaluate(
        [&](Tape&, Vars v) {
          const Var y = log ? log_softmax(v[0]) : softmax(v[0]);
          return std::vector<Var>{y, Gradients(sum(slice(y, -1, 0, 1)), v)[0]};
        },
        {x},
        {.kernels = set});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    EXPECT_TRUE(AllNear((*out)[0].data<float>(), y, 1e-6));
    EXPECT_TRUE(AllNear((*out)[1].data<float>(), dx, 1e-6));
  }
}

TEST(Softmax, MinusInfinityHasNoProbability) {
  const Tensor x = Tensor::Of<float>({3}, {2, -kInf, 2});
  ExpectRow(false, x, {0.5, 0, 0.5}, {0.25, 0, -0.25});
  ExpectRow(true, x, {-0.69314718, -kInf, -0.69314718}, {0.5, 0, -0.5});
}

TEST(Softmax, ARowOfMinusInfinityGivesZeros) {
  const Tensor x = Tensor::Of<float>({3}, {-kInf, -kInf, -kInf});
  ExpectRow(false, x, {0, 0, 0}, {0, 0, 0});
  ExpectRow(true, x, {-kInf, -kInf, -kInf}, {0, 0, 0});
}

TEST(Softmax, HugeNumbersAreSafe) {
  const Tensor x = Tensor::Of<float>({3}, {3e38f, 3e38f, -3e38f});
  ExpectRow(false, x, {0.5, 0.5, 0}, {0.25, -0.25, 0});
}

TEST(Softmax, OverflowAndNanStayVisible) {
  for (const float bad : {kInf, kNan}) {
    const Tensor x = Tensor::Of<float>({3}, {bad, 1, 2});
    ExpectRow(false, x, {kNan, kNan, kNan}, {kNan, kNan, kNan});
    ExpectRow(true, x, {kNan, kNan, kNan}, {kNan, kNan, kNan});
  }
}

TEST(Softmax, ShortFloatsRoundOnce) {
  const Tensor x = TableNumbers<BFloat16>({2, 9}, -4, 4, 6);
  const Tensor wide = table::As<float, BFloat16>(x);
  const auto run = [](const Tensor& t) {
    return (*Evaluate(
        [](Tape&, Vars v) { return std::vector<Var>{softmax(v[0])}; }, {t}))[0];
  };
  const Tensor y = run(x);
  ASSERT_EQ(y.dtype(), DType::kBF16);
  const Tensor expected = table::As<BFloat16, float>(run(wide));
  EXPECT_TRUE(AllNear<float>(table::As<float, BFloat16>(y).data<float>(),
                             table::Doubles<BFloat16>(expected),
                             0));
}

TEST(Softmax, EmptyAxesGiveEmptyResults) {
  const auto out =
      Evaluate([](Tape&, Vars v) { return std::vector<Var>{softmax(v[0])}; },
               {Tensor::Zeros({2, 0})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_EQ((*out)[0].shape(), Shape({2, 0}));
}

TEST(Softmax, ErrorsNameTheOperation) {
  const auto bad_axis = [](Tape&, Vars v) {
    return std::vector<Var>{softmax(v[0], 2)};
  };
  EXPECT_THAT(TraceError(bad_axis, {Tensor::Zeros({2, 3})}),
              testing::HasSubstr("softmax"));
  const auto of_integers = [](Tape&, Vars v) {
    return std::vector<Var>{log_softmax(v[0])};
  };
  EXPECT_THAT(TraceError(of_integers, {Tensor(DType::kI32, {2, 3})}),
              testing::HasSubstr("expected a float tensor, got i32"));
}

TEST(CrossEntropy, TakesLabels) {
  const Tensor x = Tensor::Of<float>({3, 2}, {0, 0, 1, 3, 5, 5});
  const Tensor labels = Tensor::Of<std::int32_t>({3}, {0, 1, -1});
  const auto out = Evaluate(
      [](Tape&, Vars v) {
        const Var y = cross_entropy(v[0], v[1]);
        return std::vector<Var>{y, Gradients(sum(y), v.subspan(0, 1))[0]};
      },
      {x, labels});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_TRUE(
      AllNear((*out)[0].data<float>(), {0.69314718, 0.12692801, 0}, 1e-6));
  EXPECT_TRUE(AllNear((*out)[1].data<float>(),
                      {-0.5, 0.5, 0.11920292, -0.11920292, 0, 0},
                      1e-6));
}

// A class that cannot be (-Inf) under a target of 0 counts nothing.
TEST(CrossEntropy, ImpossibleClassesUnderZeroTargetsAreHarmless) {
  const Tensor x = Tensor::Of<float>({3}, {1, -kInf, 1});
  const Tensor target = Tensor::Of<float>({3}, {1, 0, 0});
  const auto out = Evaluate(
      [](Tape&, Vars v) {
        const Var y = cross_entropy(v[0], v[1]);
        return std::vector<Var>{y, Gradients(y, v.subspan(0, 1))[0]};
      },
      {x, target});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_TRUE(AllNear((*out)[0].data<float>(), {0.69314718}, 1e-6));
  EXPECT_TRUE(AllNear((*out)[1].data<float>(), {-0.5, 0, 0.5}, 1e-6));
}

TEST(CrossEntropy, RefusesShapesThatDoNotFit) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{cross_entropy(v[0], v[1])};
  };
  EXPECT_THAT(TraceError(f, {Tensor::Zeros({2, 3}), Tensor::Zeros({2})}),
              testing::HasSubstr("cross_entropy: expected logits"));
}

// Two of four labels are padding: the mean is over the other two, and so is the
// gradient. By PyTorch's cross_entropy(ignore_index=-100).
TEST(CrossEntropy, TheMeanIsOverTheLabelsThatCount) {
  for (const KernelSet set : {KernelSet::kFast, KernelSet::kReference}) {
    const auto out = Evaluate(
        [](Tape&, std::span<const Var> v) -> std::vector<Var> {
          const Var loss = mean(cross_entropy(v[0], v[1]));
          return {loss,
                  Gradients(loss, v.first(1))[0],
                  mean(cross_entropy(v[0], v[2]))};
        },
        {Tensor::Of<float>({4, 3}, {1, 2, 3, 0, 0, 1, 5, 5, 5, 1, 0, 0}),
         Tensor::Of<std::int32_t>({4}, {2, 0, -100, -100}),
         Tensor::Of<std::int32_t>({4}, {-1, 3, -100, 7})},
        {.kernels = set});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    EXPECT_NEAR((*out)[0].data<float>()[0], 0.979525339, 3e-7);
    const auto grad = (*out)[1].data<float>();
    EXPECT_NEAR(grad[2], 0.5 * (0.66524096 - 1), 3e-7);
    EXPECT_NEAR(grad[5], 0.5 * 0.57611688, 3e-7);
    for (int i = 6; i < 12; ++i) EXPECT_EQ(grad[i], 0);
    EXPECT_EQ((*out)[2].data<float>()[0], 0);  // nothing counts
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

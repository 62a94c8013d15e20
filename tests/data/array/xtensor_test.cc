#include "gyre/data/array/xtensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/ops/custom_op.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

TEST(XtensorView, ReadsAndWritesTheTensorsOwnMemory) {
  Tensor t = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto x = view<float, 2>(t);
  EXPECT_EQ(x(1, 0), 4);
  x(1, 0) = 40;
  EXPECT_EQ(t.data<float>()[3], 40);
  x = xt::clip(x, 2.0f, 5.0f);
  EXPECT_THAT(t.data<float>(), ElementsAre(2, 2, 3, 5, 5, 5));
  EXPECT_EQ(static_cast<const void*>(x.data()), t.raw());
}

TEST(XtensorView, OfAConstTensorIsReadOnly) {
  const Tensor t = Tensor::Of<double>({3}, {1, 2, 3});
  const auto x = view<double, 1>(t);
  static_assert(std::is_const_v<std::remove_pointer_t<decltype(x.data())>>);
  EXPECT_EQ(xt::sum(x)(), 6);
}

// What an adaptor of dynamic rank dies of in xtensor 0.24.3 under C++20.
TEST(XtensorView, IsComputedAndKeepsItsRankInReductions) {
  const Tensor t = Tensor::Of<float>({2, 2, 2}, {1, 3, 5, 7, 2, 4, 6, 8});
  const auto x = view<float, 3>(t);
  const auto e = xt::eval(x - xt::mean(x, {2}, keep_dims));
  const Tensor centred = ToTensor(e);  // the mean of f32 is f64
  EXPECT_THAT(centred.data<double>(), ElementsAre(-1, 1, -1, 1, -1, 1, -1, 1));
  EXPECT_EQ(ToTensor(xt::mean(x, {0, 1})).shape(), Shape({2}));
}

// xtensor 0.24.3 reads beyond a lazy reduction that keeps its axes.
TEST(XtensorView, ReductionsOverAnyAxesAreRightInsideExpressions) {
  Tensor t = Tensor::Zeros({3, 4, 5}, DType::kF64);
  for (int i = 0; i < 60; ++i) t.data<double>()[i] = i * 37 % 11;
  const auto x = view<double, 3>(std::as_const(t));
  const Tensor difference = ToTensor(x - xt::sum(x, {1, 2}, keep_dims));
  const auto y = view<double, 3>(difference);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 20; ++j) sum += x(i, j / 5, j % 5);
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_EQ(y(i, j / 5, j % 5), x(i, j / 5, j % 5) - sum);
    }
  }
  static_assert(HasLazyKeepDims<std::decay_t<
                    decltype(x - 2 * xt::sum(x, {1}, xt::keep_dims))>>::value);
  static_assert(!HasLazyKeepDims<
                std::decay_t<decltype(x - xt::sum(x, {1}, keep_dims))>>::value);
}

TEST(XtensorView, OfNothingAndOfAScalar) {
  Tensor none = Tensor::Zeros({0, 4});
  EXPECT_EQ((view<float, 2>(none)).size(), 0u);
  EXPECT_EQ(ToTensor(view<float, 2>(none) * 2.0f).shape(), Shape({0, 4}));
  const Tensor scalar = Tensor::Of<float>(Shape(), {3});
  const auto x = view<float, 0>(scalar);
  EXPECT_EQ(x(), 3);
}

TEST(XtensorViewDeathTest, AnotherRankOrTypeIsAMistakeOfTheProgram) {
  Tensor t = Tensor::Zeros({2, 3});
  EXPECT_DEATH((view<float, 3>(t)), "a view of rank 3 was asked for");
  EXPECT_DEATH((view<double, 2>(t)), "read as f64");
}

TEST(ToTensor, ComputesAnExpressionOfAnyTypeAndLayout) {
  const Tensor t = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto x = view<float, 2>(t);
  const Tensor turned = ToTensor(xt::transpose(x));
  EXPECT_EQ(turned.shape(), Shape({3, 2}));
  EXPECT_THAT(turned.data<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  const Tensor above = ToTensor(x > 2.0f);
  EXPECT_EQ(above.dtype(), DType::kBool);
  EXPECT_THAT(above.data<bool>(),
              ElementsAre(false, false, true, true, true, true));
  EXPECT_EQ(ToTensor(xt::cast<double>(x)).dtype(), DType::kF64);
  const Tensor row = ToTensor(xt::view(x, 1, xt::all()));
  EXPECT_THAT(row.data<float>(), ElementsAre(4, 5, 6));
}

// x - mean of x over the last axis, as an operation of a user's.
struct CentreRows {
  static constexpr std::string_view kName = "centre_rows";
  StatusOr<Shape> InferShape(std::span<const Shape> in) const { return in[0]; }
  std::vector<Shape> Saved(std::span<const Shape>) const { return {}; }
  std::string Describe() const { return ""; }
  template <class T>
  void Forward(const CustomForward<T>& a) const {
    const auto x = view<2>(a.x[0]);
    auto y = view<2>(a.y);
    y = x - xt::mean(x, {1}, keep_dims);
  }
  template <class T>
  void Backward(const CustomBackward<T>& a) const {
    const auto dy = view<2>(a.dy);
    auto dx = view<2>(a.dx[0]);
    dx += dy - xt::mean(dy, {1}, keep_dims);
  }
};

TEST(XtensorView, OperandsOfACustomOperationHaveARightGradient) {
  const GradReport report = GradCheck(
      [](std::span<const Var> x) { return custom(CentreRows{}, x[0]); },
      {Tensor::Of<double>({2, 3}, {-2.0, -0.1, 0.3, 1.5, 4, 9})});
  EXPECT_TRUE(report.ok) << report.text;
}

}  // namespace
}  // namespace gyre::internal::inline tests

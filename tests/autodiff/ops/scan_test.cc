#include "gyre/autodiff/ops/scan.h"

#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Cumsum, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4}, 0.5, 1.5);
  std::vector<GradCase> cases;
  for (int axis = -1; axis < 2; ++axis) {
    for (const bool reverse : {false, true}) {
      cases.push_back({Cat("cumsum ", axis, reverse ? " reverse" : ""),
                       {x},
                       [=](Vars v) { return cumsum(v[0], axis, reverse); }});
    }
  }
  CheckGradients(cases);
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

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/ops/arg_reduce.h"

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

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

}  // namespace
}  // namespace gyre::internal::inline tests

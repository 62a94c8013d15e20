#include "gyre/autodiff/exec/widen.h"

#include <cmath>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

// The product in the short type, and in f32 rounded once.
template <class T>
void ExpectRoundedOnce(const Shape& a_shape,
                       const Shape& b_shape,
                       KernelSet set) {
  const Tensor a = TableNumbers<T>(a_shape, -1, 1, 1);
  const Tensor b = TableNumbers<T>(b_shape, -1, 1, 2);
  const auto run = [&](const Tensor& p, const Tensor& q) {
    const auto out = Evaluate(
        [](Tape&, Vars v) { return std::vector<Var>{matmul(v[0], v[1])}; },
        {p, q},
        {.kernels = set});
    EXPECT_TRUE(out.ok()) << Message(out.status());
    return (*out)[0];
  };
  const Tensor y = run(a, b);
  ASSERT_EQ(y.dtype(), DTypeOf<T>());
  const Tensor wide = run(table::As<float, T>(a), table::As<float, T>(b));
  const auto expected = table::Doubles<T>(table::As<T, float>(wide));
  const auto actual = table::Doubles<T>(y);
  // The order of a sum may differ: one unit in the last place of bf16.
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], std::abs(expected[i]) / 128 + 1e-6);
  }
}

TEST(Widen, ProductsOfShortFloatsRoundOnce) {
  for (const KernelSet set : {KernelSet::kFast, KernelSet::kReference}) {
    ExpectRoundedOnce<BFloat16>({5, 300}, {300, 7}, set);
    ExpectRoundedOnce<Half>({5, 300}, {300, 7}, set);
    ExpectRoundedOnce<BFloat16>({2, 3, 4}, {2, 4, 5}, set);
    ExpectRoundedOnce<Half>({2, 3, 4}, {4, 5}, set);
  }
}

// 300 ones: a sum kept in bf16 would stop at 256.
TEST(Widen, ProductsAccumulateInSinglePrecision) {
  for (const DType dtype : {DType::kBF16, DType::kF16}) {
    const std::vector<float> ones(300, 1.0f);
    const auto out = Evaluate(
        [dtype](Tape&, Vars v) {
          const Var y = matmul(cast(v[0], dtype), cast(v[1], dtype));
          return std::vector<Var>{cast(y, DType::kF32)};
        },
        {Tensor::From<float>({1, 300}, ones),
         Tensor::From<float>({300, 1}, ones)});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    EXPECT_EQ((*out)[0].data<float>()[0], 300.0f);
  }
}

TEST(Widen, LeavesWideRequestsAlone) {
  KernelRequest seen;
  const auto make =
      [&](const KernelRequest& request) -> StatusOr<std::unique_ptr<Kernel>> {
    seen = request;
    return ConfigError("not made");
  };
  KernelRequest request;
  request.inputs = {{{2}, DType::kF16}, {{2}, DType::kBool}};
  request.outputs = {{{2}, DType::kBF16}, {{2}, DType::kF64}};
  EXPECT_FALSE(MakeWidened(request, make).ok());
  EXPECT_EQ(seen.inputs[0].dtype, DType::kF32);
  EXPECT_EQ(seen.inputs[1].dtype, DType::kBool);
  EXPECT_EQ(seen.outputs[0].dtype, DType::kF32);
  EXPECT_EQ(seen.outputs[1].dtype, DType::kF64);
}

}  // namespace
}  // namespace gyre::internal::inline tests

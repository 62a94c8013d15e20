#include "gyre/autodiff/exec/gather_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/rng.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline tests {
namespace {

// Runs the kernel on x and the indices.
Tensor Apply(
    Kernel& kernel, Tensor x, Tensor indices, DType dtype, Shape shape) {
  Tensor out(dtype, std::move(shape));
  void* const in[] = {x.raw(), indices.raw()};
  void* const to[] = {out.raw()};
  const StepContext context;
  EXPECT_TRUE(kernel.Run({in, to, nullptr, &context}).ok());
  return out;
}

KernelRequest Request(const Tensor& x, const Tensor& indices, Shape out) {
  return {{{x.shape(), x.dtype()}, {indices.shape(), indices.dtype()}},
          {{std::move(out), x.dtype()}},
          {1},
          KernelSet::kFast,
          {}};
}

// -1 to `extent`: both ends are out of range.
template <class Index>
Tensor Indices(std::int64_t count, std::int64_t extent) {
  Tensor t(DTypeOf<Index>(), {count});
  const Rng rng({.seed = 3});
  for (std::int64_t i = 0; i < count; ++i) {
    t.data<Index>()[i] =
        static_cast<Index>(rng.Bits(i) % (extent + 2)) - Index{1};
  }
  return t;
}

template <class T, class Index>
void CheckBoth(std::int64_t outer, std::int64_t extent, std::int64_t inner) {
  Tensor x(DTypeOf<T>(), {outer, extent, inner});
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    x.data<T>()[i] = static_cast<T>(i + 1);
  }
  const std::int64_t count = 13;
  const Tensor indices = Indices<Index>(count, extent);
  const Shape taken({outer, count, inner});
  const auto gather =
      MakeGatherKernel(Request(x, indices, taken), 1, /*zero_fill=*/true);
  ASSERT_TRUE(gather.ok());
  const Tensor y = Apply(**gather, x, indices, x.dtype(), taken);
  const auto scatter = MakeScatterKernel(Request(y, indices, x.shape()), 1);
  ASSERT_TRUE(scatter.ok());
  const Tensor z = Apply(**scatter, y, indices, x.dtype(), x.shape());
  // By the definition.
  std::vector<T> sums(x.elements(), T{0});
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = indices.data<Index>()[i];
      for (std::int64_t k = 0; k < inner; ++k) {
        const bool inside = at >= 0 && at < extent;
        const std::int64_t from = (o * extent + at) * inner + k;
        const T expected = inside ? x.data<T>()[from] : T{0};
        ASSERT_EQ(y.data<T>()[(o * count + i) * inner + k], expected);
        if (inside) sums[from] += expected;
      }
    }
  }
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    ASSERT_EQ(z.data<T>()[i], sums[i]);
  }
}

TEST(GatherKernel, AndItsAdjointFollowTheDefinition) {
  for (const std::int64_t inner : {1, 2, 5}) {
    for (const std::int64_t outer : {1, 3}) {
      CheckBoth<float, std::int32_t>(outer, 4, inner);
      CheckBoth<double, std::int64_t>(outer, 4, inner);
      CheckBoth<double, std::int32_t>(outer, 1, inner);
    }
  }
}

// Whether the first element is NaN, or 0 in a type without.
bool IsFill(const Tensor& y) {
  switch (y.dtype()) {
    case DType::kF32:
      return std::isnan(y.data<float>()[0]);
    case DType::kF64:
      return std::isnan(y.data<double>()[0]);
    case DType::kBF16:
      return std::isnan(static_cast<float>(y.data<BFloat16>()[0]));
    case DType::kF16:
      return std::isnan(static_cast<float>(y.data<Half>()[0]));
    default:
      return y.raw()[0] == std::byte{0};
  }
}

TEST(GatherKernel, FillsWithNanWhereTheTypeHasOne) {
  const Tensor indices = Tensor::Of<std::int32_t>({2}, {5, 0});
  for (const DType dtype : {DType::kF32,
                            DType::kF64,
                            DType::kBF16,
                            DType::kF16,
                            DType::kI32,
                            DType::kBool}) {
    const Tensor x(dtype, {3});
    const auto kernel =
        MakeGatherKernel(Request(x, indices, {2}), 0, /*zero_fill=*/false);
    ASSERT_TRUE(kernel.ok());
    const Tensor y = Apply(**kernel, x, indices, dtype, {2});
    EXPECT_TRUE(IsFill(y)) << dtype;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/exec/scan_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline tests {
namespace {

template <class T>
std::vector<double> Sums(const Shape& shape, int axis, bool reverse) {
  Tensor x(DTypeOf<T>(), shape);
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    x.data<T>()[i] = static_cast<T>(i + 1);
  }
  Tensor y(x.dtype(), shape);
  KernelRequest request;
  request.inputs = {{shape, x.dtype()}};
  request.outputs = request.inputs;
  auto kernel = MakeCumsumKernel(request, axis, reverse);
  EXPECT_TRUE(kernel.ok());
  std::vector<double> scratch((*kernel)->scratch_bytes() / sizeof(double));
  void* const in[] = {x.raw()};
  void* const out[] = {y.raw()};
  const StepContext context;
  EXPECT_TRUE(
      (*kernel)
          ->Run(
              {in, out, reinterpret_cast<std::byte*>(scratch.data()), &context})
          .ok());
  const auto data = y.data<T>();
  return {data.begin(), data.end()};
}

// By the definition, one sum for each element.
std::vector<double> Expected(const Shape& shape, int axis, bool reverse) {
  const std::vector<std::int64_t> strides = RowMajorStrides(shape);
  const std::int64_t stride = strides[axis];
  std::vector<double> sums(shape.elements());
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const std::int64_t at = i / stride % shape[axis];
    for (std::int64_t k = 0; k < shape[axis]; ++k) {
      if (reverse ? k < at : k > at) continue;
      sums[i] += static_cast<double>(i + (k - at) * stride + 1);
    }
  }
  return sums;
}

TEST(ScanKernel, FollowsTheDefinition) {
  const Shape shapes[] = {{5}, {2, 3, 4}, {1, 7, 1}, {3, 0, 2}, {2, 3, 2, 3}};
  for (const Shape& shape : shapes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      for (const bool reverse : {false, true}) {
        const auto expected = Expected(shape, axis, reverse);
        EXPECT_EQ(Sums<float>(shape, axis, reverse), expected) << shape;
        EXPECT_EQ(Sums<double>(shape, axis, reverse), expected) << shape;
      }
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/exec/arg_reduce_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/rng.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<std::int32_t> Places(Tensor x,
                                 int axis,
                                 bool smallest,
                                 std::int64_t results) {
  KernelRequest request;
  request.inputs = {{x.shape(), x.dtype()}};
  request.outputs = {{Shape({results}), DType::kI32}};
  auto kernel = MakeArgReduceKernel(request, axis, smallest);
  EXPECT_TRUE(kernel.ok());
  std::vector<std::int32_t> places(results, -7);
  void* const in[] = {x.raw()};
  void* const out[] = {places.data()};
  const StepContext context;
  EXPECT_TRUE((*kernel)->Run({in, out, nullptr, &context}).ok());
  return places;
}

// No element beats the one that was found, and none before it equals it.
template <class T>
void CheckAxis(const Tensor& x, int axis, bool smallest) {
  const Shape& shape = x.shape();
  const std::int64_t stride = RowMajorStrides(shape)[axis];
  const std::int64_t extent = shape[axis];
  const auto places = Places(x, axis, smallest, shape.elements() / extent);
  for (std::size_t r = 0; r < places.size(); ++r) {
    const auto i = static_cast<std::int64_t>(r);
    const T* line =
        x.data<T>().data() + i / stride * stride * extent + i % stride;
    ASSERT_GE(places[r], 0);
    ASSERT_LT(places[r], extent);
    const T best = line[places[r] * stride];
    for (std::int64_t k = 0; k < extent; ++k) {
      const T other = line[k * stride];
      EXPECT_TRUE(smallest ? best <= other : best >= other);
      EXPECT_TRUE(k >= places[r] || other != best);
    }
  }
}

TEST(ArgReduceKernel, FindsTheFirstExtremeAlongEveryAxis) {
  const Shape shape({3, 4, 5});
  Tensor narrow(DType::kF32, shape);
  Tensor wide(DType::kF64, shape);
  const Rng rng({.seed = 8});
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    // Few different numbers: many ties.
    narrow.data<float>()[i] = static_cast<float>(rng.Bits(i) % 4);
    wide.data<double>()[i] = static_cast<double>(rng.Bits(i) % 4);
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool smallest : {false, true}) {
      CheckAxis<float>(narrow, axis, smallest);
      CheckAxis<double>(wide, axis, smallest);
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

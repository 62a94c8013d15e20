// Tensors as xtensor expressions, and back: NumPy's way of writing for masks,
// statistics, scores and custom operations.
//
//   Tensor t = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
//   auto x = view<float, 2>(t);                 // no copy: writes go to t
//   x = xt::clip(x, 2.0f, 5.0f);
//   Tensor rows = ToTensor(xt::mean(x, {1}));   // (2), f64
//
// A custom operation has its operands the same way: `view<2>(a.x[0])`.
//
// The rank is part of the type, as `xt::xtensor` has it.
//
// WARNING 1: a view keeps nothing alive: the tensor must outlive it and every
// expression made of it. `auto y = x + 1` is such an expression, no array;
// `xt::eval` or ToTensor computes it.
// WARNING 2: write no adaptor of dynamic rank (`xt::adapt` with a vector for a
// shape): that of xtensor 0.24.3 aborts under C++20 as soon as it is computed.
// WARNING 3: write keep_dims, not xt::keep_dims, for a reduction that is part
// of an expression, `x - xt::mean(x, {1}, keep_dims)`: xtensor 0.24.3 reads
// beyond the memory of a reduction that is still lazy there. ToTensor refuses
// to compile it.
// WARNING 4: an assignment to a view broadcasts or is undefined: xtensor does
// not hold the shapes of both sides against each other.

#ifndef GYRE_DATA_ARRAY_XTENSOR_H_
#define GYRE_DATA_ARRAY_XTENSOR_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "gyre/core/check.h"
#include "gyre/core/tensor.h"

namespace gyre {

// Reductions that keep their axes, computed at once.
inline constexpr std::tuple<xt::keep_dims_type,
                            xt::evaluation_strategy::immediate_type>
    keep_dims{};

// Does the expression hold a lazy reduction that keeps its axes?
template <class E>
struct HasLazyKeepDims : std::false_type {};
template <class F, class CT, class X, class O>
struct HasLazyKeepDims<xt::xreducer<F, CT, X, O>>
    : std::bool_constant<O::keep_dims::value ||
                         HasLazyKeepDims<std::decay_t<CT>>::value> {};
template <class F, class... CT>
struct HasLazyKeepDims<xt::xfunction<F, CT...>>
    : std::bool_constant<(HasLazyKeepDims<std::decay_t<CT>>::value || ...)> {};

// The extents of `shape` as xtensor has them. A rank other than N is a
// mistake of the program, as another type is.
template <std::size_t N>
std::array<std::size_t, N> FixedShape(const Shape& shape) {
  GYRE_CHECK(shape.rank() == static_cast<int>(N),
             "a view of rank ",
             N,
             " was asked for, the shape is ",
             shape);
  std::array<std::size_t, N> fixed{};
  std::copy(shape.dims().begin(), shape.dims().end(), fixed.begin());
  return fixed;
}

// `view<float, 3>(tensor)`: its numbers, to be read and written.
template <class T, std::size_t N>
auto view(Tensor& tensor) {
  const std::span<T> data = tensor.data<T>();
  return xt::adapt(data.data(),
                   data.size(),
                   xt::no_ownership(),
                   FixedShape<N>(tensor.shape()));
}
template <class T, std::size_t N>
auto view(const Tensor& tensor) {
  const std::span<const T> data = tensor.data<T>();
  return xt::adapt(data.data(),
                   data.size(),
                   xt::no_ownership(),
                   FixedShape<N>(tensor.shape()));
}
// Of a tensor that is about to go, there is no view.
template <class T, std::size_t N>
void view(Tensor&& tensor) = delete;
template <class T, std::size_t N>
void view(const Tensor&& tensor) = delete;

// An operand of a custom operation: what has `data` and `shape`.
template <std::size_t N, class Memory>
requires(std::is_pointer_v<decltype(Memory::data)>) auto view(
    const Memory& memory) {
  const Shape& shape = memory.shape;
  return xt::adapt(memory.data,
                   static_cast<std::size_t>(shape.elements()),
                   xt::no_ownership(),
                   FixedShape<N>(shape));
}

// The numbers of an expression, computed once, as a tensor of its own. Truth
// values become kBool.
template <class E>
Tensor ToTensor(const xt::xexpression<E>& expression) {
  static_assert(!HasLazyKeepDims<E>::value,
                "write keep_dims (of gyre) instead of xt::keep_dims: xtensor "
                "0.24.3 computes such a reduction wrongly");
  const E& e = expression.derived_cast();
  using T = std::remove_cv_t<typename E::value_type>;
  std::vector<std::int64_t> dims(e.shape().begin(), e.shape().end());
  Tensor tensor(DTypeOf<T>(), Shape(std::move(dims)));
  std::copy(e.template begin<xt::layout_type::row_major>(),
            e.template end<xt::layout_type::row_major>(),
            tensor.data<T>().begin());
  return tensor;
}

}  // namespace gyre

#endif  // GYRE_DATA_ARRAY_XTENSOR_H_

// A dense row-major block of numbers on the host: data, parameters, results.
//
//   Tensor t = Tensor::Zeros({2, 3});
//   t.data<float>()[4] = 1.0f;
//   Tensor w = Tensor::Of<float>({3}, {1, 2, 3});
//
// Copies share the memory, as a NumPy array does; Clone() makes a new one.

#ifndef GYRE_CORE_TENSOR_H_
#define GYRE_CORE_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "gyre/core/check.h"
#include "gyre/core/dtype.h"
#include "gyre/core/shape.h"

namespace gyre {

class Tensor {
 public:
  Tensor() : Tensor(DType::kF32, Shape({0})) {}
  // Zeroed.
  Tensor(DType dtype, Shape shape);

  static Tensor Zeros(Shape shape, DType dtype = DType::kF32) {
    return Tensor(dtype, std::move(shape));
  }
  template <class T>
  static Tensor Of(Shape shape, std::initializer_list<T> values) {
    return From<T>(std::move(shape), std::span(values.begin(), values.size()));
  }
  template <class T>
  static Tensor From(Shape shape, std::span<const T> values) {
    Tensor t(DTypeOf<T>(), std::move(shape));
    GYRE_CHECK(values.size() == t.data<T>().size());
    std::copy(values.begin(), values.end(), t.data<T>().begin());
    return t;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t elements() const { return elements_; }
  std::size_t bytes() const { return elements_ * SizeOf(dtype_); }

  template <class T>
  std::span<T> data() {
    CheckType(DTypeOf<T>());
    return {reinterpret_cast<T*>(raw()), static_cast<std::size_t>(elements_)};
  }
  template <class T>
  std::span<const T> data() const {
    CheckType(DTypeOf<T>());
    return {reinterpret_cast<const T*>(raw()),
            static_cast<std::size_t>(elements_)};
  }
  std::byte* raw() { return buffer_.get(); }
  const std::byte* raw() const { return buffer_.get(); }

  Tensor Clone() const;

 private:
  void CheckType(DType wanted) const {
    GYRE_CHECK(wanted == dtype_, "tensor of ", dtype_, " read as ", wanted);
  }

  DType dtype_;
  Shape shape_;
  std::int64_t elements_;
  std::shared_ptr<std::byte[]> buffer_;
};

}  // namespace gyre

#endif  // GYRE_CORE_TENSOR_H_

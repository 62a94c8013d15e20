// The extents of a tensor, row-major.
//
//   Shape s({4, 6, 33, 36});   // (batch, channel, lat, lon)
//   const bool is_field = s.rank() == 4 && s.elements() == 28512;

#ifndef GYRE_CORE_SHAPE_H_
#define GYRE_CORE_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre {

class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;  // of a scalar
  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  std::int64_t operator[](int axis) const { return dims_[axis]; }
  const std::vector<std::int64_t>& dims() const { return dims_; }

  // The product of the extents; 1 for a scalar. Checked by Validate.
  std::int64_t elements() const;

  // Errors: more than kMaxRank axes, a negative extent, a product that does
  // not fit 2^48 elements (more than any machine holds, and it leaves room
  // for sizes in bytes).
  Status Validate() const;

  // `axis` counted from the end when negative; the result is in [0, rank).
  StatusOr<int> NormalizeAxis(int axis) const;

  std::string ToString() const;

  friend bool operator==(const Shape&, const Shape&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.ToString();
  }

 private:
  std::vector<std::int64_t> dims_;
};

// The strides, in elements, of a dense row-major tensor.
std::vector<std::int64_t> RowMajorStrides(const Shape& shape);

// The shape both broadcast to by NumPy's rule: axes are aligned at the end,
// and an extent of 1 (or a missing one) stretches.
StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace gyre

#endif  // GYRE_CORE_SHAPE_H_

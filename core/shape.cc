#include "gyre/core/shape.h"

#include <algorithm>

namespace gyre {

using namespace internal;

namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

std::int64_t DimFromEnd(const Shape& shape, int i) {
  return i < shape.rank() ? shape[shape.rank() - 1 - i] : 1;
}

}  // namespace

std::int64_t Shape::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims_) count *= dim;
  return count;
}

Status Shape::Validate() const {
  if (rank() > kMaxRank) {
    return ConfigError("shape ",
                       *this,
                       " has ",
                       rank(),
                       " axes; at most ",
                       kMaxRank,
                       " are "
                       "supported");
  }
  std::int64_t count = 1;
  for (const std::int64_t dim : dims_) {
    if (dim < 0) {
      return ConfigError("shape ", *this, " has a negative extent");
    }
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(dim, 1), &count) ||
        count > kMaxElements) {
      return ConfigError("shape ", *this, " has more than 2^48 elements");
    }
  }
  return OkStatus();
}

StatusOr<int> Shape::NormalizeAxis(int axis) const {
  if (axis < -rank() || axis >= rank()) {
    return ConfigError("axis ",
                       axis,
                       " is not an axis of shape ",
                       *this,
                       "; expected ",
                       -rank(),
                       " to ",
                       rank() - 1);
  }
  return axis < 0 ? axis + rank() : axis;
}

std::string Shape::ToString() const {
  std::string text = "(";
  for (int i = 0; i < rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims_[i]);
  }
  return text + ")";
}

std::vector<std::int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.rank());
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> dims(rank);
  for (int i = 0; i < rank; ++i) {
    const std::int64_t da = DimFromEnd(a, i);
    const std::int64_t db = DimFromEnd(b, i);
    if (da != db && da != 1 && db != 1) {
      return ConfigError("shapes ",
                         a,
                         " and ",
                         b,
                         " do not broadcast: extents ",
                         da,
                         " and ",
                         db,
                         " differ and neither is 1");
    }
    dims[rank - 1 - i] = da == 1 ? db : da;
  }
  return Shape(std::move(dims));
}

}  // namespace gyre

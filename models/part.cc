#include "gyre/models/part.h"

#include <cstring>

namespace gyre::internal::inline models {
namespace {

// A whole is `outer` times `count` pieces of `piece` elements; a part has one
// piece of each.
struct Pieces {
  Pieces(const Shape& shape, int dim, int count) {
    for (int i = 0; i < dim; ++i) outer *= shape[i];
    for (int i = dim; i < shape.rank(); ++i) piece *= shape[i];
    piece /= count;
  }
  std::size_t bytes() const { return piece * sizeof(float); }

  std::int64_t outer = 1;
  std::int64_t piece = 1;
};

}  // namespace

StatusOr<Shape> PartShape(const Shape& whole, int dim, int count) {
  if (dim < 0 || dim >= whole.rank()) {
    return ConfigError("shape ", whole, " has no dimension ", dim);
  }
  if (whole[dim] % count != 0) {
    return ConfigError("dimension ",
                       dim,
                       " of ",
                       whole,
                       " cannot be cut into ",
                       count,
                       " equal parts; pad it to a multiple, or use another "
                       "mesh");
  }
  std::vector<std::int64_t> dims = whole.dims();
  dims[dim] /= count;
  return Shape(std::move(dims));
}

void TakePart(std::span<const float> whole,
              const Shape& shape,
              int dim,
              int index,
              int count,
              std::span<float> part) {
  const Pieces pieces(shape, dim, count);
  for (std::int64_t i = 0; i < pieces.outer; ++i) {
    std::memcpy(part.data() + i * pieces.piece,
                whole.data() + (i * count + index) * pieces.piece,
                pieces.bytes());
  }
}

void JoinParts(std::span<const float> parts,
               const Shape& shape,
               int dim,
               int count,
               std::span<float> whole) {
  const Pieces pieces(shape, dim, count);
  for (int index = 0; index < count; ++index) {
    const float* part = parts.data() + index * pieces.outer * pieces.piece;
    for (std::int64_t i = 0; i < pieces.outer; ++i) {
      std::memcpy(whole.data() + (i * count + index) * pieces.piece,
                  part + i * pieces.piece,
                  pieces.bytes());
    }
  }
}

}  // namespace gyre::internal::inline models

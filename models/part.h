// A parameter of which each rank of a mesh axis holds a part.

#ifndef GYRE_MODELS_PART_H_
#define GYRE_MODELS_PART_H_

#include <span>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/mesh/mesh.h"

namespace gyre::internal::inline models {

// Equal parts of `whole` along `dim`, by the rank's place on the axes.
struct PartSpec {
  Shape whole;
  int dim = 0;
  AxisSet axes = 0;  // empty: every rank holds all of it

  bool is_part() const { return axes != 0; }
};

// The shape of one of `count` parts. Error: a dimension that is not there, or
// that `count` does not divide.
StatusOr<Shape> PartShape(const Shape& whole, int dim, int count);

// Part `index` of `count`, into `part`.
void TakePart(std::span<const float> whole,
              const Shape& shape,
              int dim,
              int index,
              int count,
              std::span<float> part);

// The other way: `parts` holds all parts, one after the other.
void JoinParts(std::span<const float> parts,
               const Shape& shape,
               int dim,
               int count,
               std::span<float> whole);

}  // namespace gyre::internal::inline models

#endif  // GYRE_MODELS_PART_H_

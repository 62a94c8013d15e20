// Which dimension of the data is cut over which axis of the mesh, said once.
//
//   GYRE_ASSIGN_OR_RETURN(
//       const Sharding sharding,
//       Sharding::Create(mesh,
//                        {{"batch", "data"}, {"lat", ""}, {"lon", "space"}},
//                        {{"x", {"batch", "lat", "lon"}, {8, 33, 36}}}));
//   sharding.Block("x");                   // this rank's: where, and how much
//   spec.batch_axes = sharding.axes();
//
// A dimension with an empty axis is whole on every rank. Immutable.

#ifndef GYRE_MESH_SHARDING_H_
#define GYRE_MESH_SHARDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"
#include "gyre/mesh/mesh.h"

namespace gyre {

// A logical dimension and the axis that it is cut over; "" for none.
struct DimRule {
  std::string dim;
  std::string axis;
};

// A tensor of the whole job, by the names of its dimensions.
struct ShardedTensor {
  std::string name;
  std::vector<std::string> dims;
  Shape shape;
};

// A box of a tensor.
struct TensorBlock {
  std::vector<std::int64_t> start;  // by dimension
  Shape shape;
};

class Sharding {
 public:
  // Errors, with the table of what was asked: a dimension of a tensor without
  // a rule; two rules for one dimension; an axis that two dimensions of a
  // tensor use, or that the mesh does not have; a size that the ranks of the
  // axis do not divide.
  static StatusOr<Sharding> Create(const Mesh& mesh,
                                   std::vector<DimRule> rules,
                                   std::vector<ShardedTensor> tensors);

  // What a rank holds of the tensor. Error: no tensor of that name.
  StatusOr<TensorBlock> Block(std::string_view tensor) const;
  StatusOr<TensorBlock> BlockOf(std::string_view tensor, int rank) const;

  // The axes over which some tensor is cut, in the mesh's order.
  std::vector<std::string> axes() const;

  // Rules and tensors, and who holds what: for a person, and for run.json.
  std::string Describe() const;

 private:
  Sharding(Mesh mesh,
           std::vector<DimRule> rules,
           std::vector<ShardedTensor> tensors)
      : mesh_(std::move(mesh)),
        rules_(std::move(rules)),
        tensors_(std::move(tensors)) {}
  Status Check() const;
  Status CheckTensor(const ShardedTensor& tensor) const;
  const DimRule* RuleOf(std::string_view dim) const;
  // The axes of a dimension as a set; of one axis, or none.
  AxisSet AxesOf(std::string_view dim) const;
  TensorBlock BlockFor(const ShardedTensor& tensor, int rank) const;
  std::string Table() const;

  Mesh mesh_;
  std::vector<DimRule> rules_;
  std::vector<ShardedTensor> tensors_;
};

}  // namespace gyre

#endif  // GYRE_MESH_SHARDING_H_

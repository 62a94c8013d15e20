// The world laid out on named axes.
//
//   GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
//                         Mesh::Create(world.comm(), {{"data", -1}}));
//   mesh.Group(1);   // the communicator over "data"
//
// Immutable, cheap to copy. The first axis varies slowest.

#ifndef GYRE_MESH_MESH_H_
#define GYRE_MESH_MESH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre {

struct MeshAxis {
  std::string name;
  int size = -1;  // -1: what the other axes leave
};

// A set of axes, as bits by the axis's position. Empty: the same everywhere.
using AxisSet = std::uint32_t;

class Mesh {
 public:
  // `world` must outlive the mesh. Errors: a name that is empty or used
  // twice, more than one -1, sizes whose product is not the world's size.
  static StatusOr<Mesh> Create(Communicator& world, std::vector<MeshAxis> axes);

  const std::vector<MeshAxis>& axes() const { return state_->axes; }
  Communicator& world() const { return *state_->world; }
  const RunContext& run_context() const { return world().run_context(); }
  int rank() const { return state_->world->rank(); }
  int size() const { return state_->world->size(); }

  // The axis's position. Error: no such axis; the message lists those there.
  StatusOr<int> AxisIndex(std::string_view name) const;
  // The set of the named axes.
  StatusOr<AxisSet> Axes(const std::vector<std::string>& names) const;
  AxisSet all_axes() const;

  // A rank's place among those that differ from it on these axes only; the
  // first of the axes counts most. 0 of an empty set.
  int PositionOf(int rank, AxisSet axes) const;
  int Position(AxisSet axes) const { return PositionOf(rank(), axes); }
  // The axes of the set that have more than one rank.
  AxisSet WithoutUnitAxes(AxisSet axes) const;

  // Ranks that differ from this one on these axes only, this one included.
  int SizeOf(AxisSet axes) const;
  // The communicator over those ranks; null for a set of one rank.
  Communicator* Group(AxisSet axes) const;

  // "data=4"
  std::string Describe() const;
  std::string Describe(AxisSet axes) const;

 private:
  struct State {
    Communicator* world;
    std::vector<MeshAxis> axes;
    std::vector<std::unique_ptr<Communicator>> groups;  // by set of axes
  };
  explicit Mesh(std::shared_ptr<const State> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace gyre

#endif  // GYRE_MESH_MESH_H_

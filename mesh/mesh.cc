#include "gyre/mesh/mesh.h"

namespace gyre {

using namespace internal;

namespace {

std::string Table(const std::vector<MeshAxis>& axes) {
  std::string text;
  for (const MeshAxis& axis : axes) {
    if (!text.empty()) text += " x ";
    text += Cat(axis.name, "=", axis.size);
  }
  return text.empty() ? "(no axes)" : text;
}

Status CheckNames(const std::vector<MeshAxis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name.empty()) {
      return ConfigError("mesh ", Table(axes), ": axis ", i, " has no name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].name == axes[j].name) {
        return ConfigError(
            "mesh ", Table(axes), ": axis \"", axes[i].name, "\" twice");
      }
    }
  }
  return OkStatus();
}

// Fills in the -1 and holds the product against the world's size.
Status Resolve(std::vector<MeshAxis>& axes, int world) {
  const std::string asked = Table(axes);
  MeshAxis* rest = nullptr;
  std::int64_t known = 1;
  for (MeshAxis& axis : axes) {
    if (axis.size == -1) {
      if (rest != nullptr) {
        return ConfigError("mesh ", asked, ": only one axis may be -1");
      }
      rest = &axis;
    } else if (axis.size < 1) {
      return ConfigError("mesh ",
                         asked,
                         ": axis \"",
                         axis.name,
                         "\" needs a size of 1 or "
                         "more, or -1 for the rest");
    } else {
      known *= axis.size;
    }
  }
  if (rest != nullptr && world % known == 0) {
    rest->size = static_cast<int>(world / known);
    known = world;
  }
  if (known != world) {
    return ConfigError("mesh ",
                       asked,
                       " does not fit ",
                       world,
                       " ranks: the product of its "
                       "axes must be ",
                       world,
                       "; change the mesh or launch with another -n");
  }
  return OkStatus();
}

// The ranks that share this rank's coordinates on all axes outside `set`.
std::vector<int> Members(const std::vector<MeshAxis>& axes,
                         AxisSet set,
                         int rank,
                         int world) {
  const auto outside = [&](int r) {
    std::vector<int> coordinates;
    for (std::size_t i = axes.size(); i-- > 0; r /= axes[i].size) {
      if ((set >> i & 1u) == 0) coordinates.push_back(r % axes[i].size);
    }
    return coordinates;
  };
  std::vector<int> members;
  for (int r = 0; r < world; ++r) {
    if (outside(r) == outside(rank)) members.push_back(r);
  }
  return members;
}

}  // namespace

StatusOr<Mesh> Mesh::Create(Communicator& world, std::vector<MeshAxis> axes) {
  GYRE_RETURN_IF_ERROR(CheckNames(axes));
  GYRE_RETURN_IF_ERROR(Resolve(axes, world.size()));
  auto state = std::make_shared<State>();
  state->world = &world;
  state->axes = std::move(axes);
  state->groups.resize(std::size_t{1} << state->axes.size());
  for (AxisSet set = 1; set < state->groups.size(); ++set) {
    const std::vector<int> members =
        Members(state->axes, set, world.rank(), world.size());
    const int size = static_cast<int>(members.size());
    if (size == 1 || size == world.size()) continue;
    GYRE_ASSIGN_OR_RETURN(state->groups[set],
                          world.Split(members, {.label = "mesh axis"}));
  }
  return Mesh(std::move(state));
}

StatusOr<int> Mesh::AxisIndex(std::string_view name) const {
  for (std::size_t i = 0; i < axes().size(); ++i) {
    if (axes()[i].name == name) return static_cast<int>(i);
  }
  return ConfigError(
      "the mesh has no axis \"", name, "\"; it has ", Table(axes()));
}

StatusOr<AxisSet> Mesh::Axes(const std::vector<std::string>& names) const {
  AxisSet set = 0;
  for (const std::string& name : names) {
    GYRE_ASSIGN_OR_RETURN(const int index, AxisIndex(name));
    set |= AxisSet{1} << index;
  }
  return set;
}

AxisSet Mesh::all_axes() const { return (AxisSet{1} << axes().size()) - 1; }

int Mesh::PositionOf(int rank, AxisSet set) const {
  int position = 0;
  int weight = 1;
  for (std::size_t i = axes().size(); i-- > 0; rank /= axes()[i].size) {
    if ((set >> i & 1u) == 0) continue;
    position += weight * (rank % axes()[i].size);
    weight *= axes()[i].size;
  }
  return position;
}

AxisSet Mesh::WithoutUnitAxes(AxisSet set) const {
  AxisSet wide = 0;
  for (std::size_t i = 0; i < axes().size(); ++i) {
    const AxisSet axis = AxisSet{1} << i;
    if ((set & axis) != 0 && axes()[i].size > 1) wide |= axis;
  }
  return wide;
}

int Mesh::SizeOf(AxisSet set) const {
  int size = 1;
  for (std::size_t i = 0; i < axes().size(); ++i) {
    if ((set >> i & 1u) != 0) size *= axes()[i].size;
  }
  return size;
}

Communicator* Mesh::Group(AxisSet set) const {
  const int size = SizeOf(set);
  if (size == 1) return nullptr;
  if (size == state_->world->size()) return state_->world;
  return state_->groups[set].get();
}

std::string Mesh::Describe() const { return Table(axes()); }

std::string Mesh::Describe(AxisSet set) const {
  std::vector<MeshAxis> chosen;
  for (std::size_t i = 0; i < axes().size(); ++i) {
    if ((set >> i & 1u) != 0) chosen.push_back(axes()[i]);
  }
  return Table(chosen);
}

}  // namespace gyre

#include "gyre/train/step/whole_state.h"

#include <algorithm>
#include <vector>

namespace gyre::internal::inline train {

StatusOr<Tensor> GatherWhole(const Mesh& mesh,
                             const PartSpec& part,
                             std::span<const float> mine) {
  Tensor whole(DType::kF32, part.whole);
  Communicator* const group = mesh.Group(part.axes);
  if (group == nullptr) {
    std::copy(mine.begin(), mine.end(), whole.data<float>().begin());
    return whole;
  }
  std::vector<float> parts(mine.size() * group->size());
  GYRE_RETURN_IF_ERROR(group->AllGather(
      mine.data(),
      parts.data(),
      mine.size(),
      DType::kF32,
      {.label = "parts of a tensor", .loc = SourceLoc::Current()}));
  JoinParts(parts, part.whole, part.dim, group->size(), whole.data<float>());
  return whole;
}

void TakeOwn(const Mesh& mesh,
             const PartSpec& part,
             const Tensor& whole,
             std::span<float> mine) {
  TakePart(whole.data<float>(),
           part.whole,
           part.dim,
           mesh.Position(part.axes),
           mesh.SizeOf(part.axes),
           mine);
}

StatusOr<std::vector<float>> GatherState(const TrainState& state,
                                         const StateArrays& arrays,
                                         int k) {
  const float* const mine = arrays.states()[k];
  const StateShards& shards = state.shards();
  if (!shards.on()) {
    return std::vector<float>(mine, mine + state.state_layouts()[k].elements());
  }
  std::vector<float> flat(state.layout().elements());
  for (std::size_t i = 0; i < shards.windows().size(); ++i) {
    const SyncRange& range = state.sync().ranges()[i];
    const StateWindow& window = shards.windows()[i];
    float* const to = flat.data() + range.offset;
    Communicator* const group = state.mesh().Group(range.axes);
    if (group == nullptr) {
      std::copy_n(mine + window.kept_at, window.count, to);
      continue;
    }
    GYRE_RETURN_IF_ERROR(group->AllGather(
        mine + window.kept_at,
        to,
        window.count,
        DType::kF32,
        {.label = "parts of a state", .loc = SourceLoc::Current()}));
  }
  return flat;
}

std::vector<float> TakeOwnState(const TrainState& state,
                                std::span<const float> flat) {
  if (!state.shards().on()) return {flat.begin(), flat.end()};
  std::vector<float> mine;
  for (const StateWindow& window : state.shards().windows()) {
    const auto own = flat.subspan(window.first, window.count);
    mine.insert(mine.end(), own.begin(), own.end());
  }
  return mine;
}

}  // namespace gyre::internal::inline train

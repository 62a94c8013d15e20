#include "train/whole_state.h"

#include <algorithm>
#include <vector>

namespace gyre {

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

}  // namespace gyre

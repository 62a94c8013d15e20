#include "gyre/train/step/gradient_sync.h"

#include <algorithm>
#include <utility>

namespace gyre::internal::inline train {

GradientSync::GradientSync(const Mesh& mesh,
                           const optim::FlatLayout& layout,
                           std::vector<TensorMesh> tensors)
    : tensors_(std::move(tensors)) {
  for (int t = 0; t < layout.count(); ++t) {
    const TensorMesh& tensor = tensors_[t];
    if (ranges_.empty() || ranges_.back().axes != tensor.reduce) {
      ranges_.push_back(
          {.begin = t, .axes = tensor.reduce, .offset = layout[t].offset});
    }
    SyncRange& range = ranges_.back();
    range.end = t + 1;
    const bool last = range.end == layout.count();
    range.count =
        (last ? layout.elements() : layout[range.end].offset) - range.offset;
    const AxisSet cut = tensor.part.axes;
    if (cut != 0 && std::find(part_sets_.begin(), part_sets_.end(), cut) ==
                        part_sets_.end()) {
      part_sets_.push_back(cut);
    }
  }
  in_one_piece_ = ranges_.size() == 1 && !has_parts() &&
                  mesh.SizeOf(ranges_.front().axes) == mesh.size();
}

int GradientSync::PartSetOf(int i) const {
  const AxisSet cut = tensors_[i].part.axes;
  if (cut == 0) return -1;
  const auto set = std::find(part_sets_.begin(), part_sets_.end(), cut);
  return static_cast<int>(set - part_sets_.begin());
}

std::string GradientSync::Describe(const Mesh& mesh) const {
  std::string text;
  for (const SyncRange& range : ranges_) {
    text += Cat(range.axes == 0 ? "nothing to add" : mesh.Describe(range.axes),
                ": ",
                range.end - range.begin,
                " tensors, ",
                range.count,
                " elements\n");
  }
  return text;
}

}  // namespace gyre::internal::inline train

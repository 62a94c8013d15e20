#include "gyre/autodiff/exec/tile_layout.h"

#include "gyre/core/check.h"

namespace gyre::internal::inline autodiff {

TileLayout::TileLayout(const Shape& extents,
                       const std::vector<std::int64_t>& strides) {
  GYRE_CHECK(static_cast<int>(strides.size()) == extents.rank(),
             strides.size(),
             " strides for the extents ",
             extents);
  for (int i = 0; i < extents.rank(); ++i) {
    if (extents[i] == 1) continue;
    const int last = rank_ - 1;
    if (rank_ > 0 && strides_[last] == strides[i] * extents[i]) {
      extents_[last] *= extents[i];
      strides_[last] = strides[i];
      continue;
    }
    extents_[rank_] = extents[i];
    strides_[rank_] = strides[i];
    ++rank_;
  }
  if (rank_ == 0) {
    // A single element is dense.
    extents_[0] = 1;
    strides_[0] = 1;
    rank_ = 1;
  }
}

TileLayout::Cursor::Cursor(const TileLayout& layout, std::int64_t flat)
    : layout_(layout) {
  for (int i = layout.rank_ - 1; i > 0; --i) {
    index_[i] = flat % layout.extents_[i];
    flat /= layout.extents_[i];
    offset_ += index_[i] * layout.strides_[i];
  }
  index_[0] = flat;
  offset_ += flat * layout.strides_[0];
}

std::int64_t TileLayout::Cursor::run() const {
  const int last = layout_.rank_ - 1;
  return layout_.extents_[last] - index_[last];
}

void TileLayout::Cursor::NextRun() {
  const int last = layout_.rank_ - 1;
  offset_ -= index_[last] * layout_.strides_[last];
  index_[last] = 0;
  for (int i = last - 1; i >= 0; --i) {
    offset_ += layout_.strides_[i];
    if (++index_[i] < layout_.extents_[i] || i == 0) return;
    offset_ -= index_[i] * layout_.strides_[i];
    index_[i] = 0;
  }
}

}  // namespace gyre::internal::inline autodiff

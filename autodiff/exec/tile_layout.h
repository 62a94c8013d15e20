// Where in memory the elements of a tile come from.
//
// A layout maps the flat row-major index over the extents of a program to an
// offset in one input, with as few axes as that input needs: a dense tensor
// becomes one axis of stride 1, a broadcast scalar one of stride 0.

#ifndef GYRE_AUTODIFF_EXEC_TILE_LAYOUT_H_
#define GYRE_AUTODIFF_EXEC_TILE_LAYOUT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "gyre/core/shape.h"

namespace gyre::internal::inline autodiff {

class TileLayout {
 public:
  // Axes of extent 1 vanish; neighbours that step evenly become one.
  TileLayout(const Shape& extents, const std::vector<std::int64_t>& strides);

  int rank() const { return rank_; }
  std::int64_t extent(int axis) const { return extents_[axis]; }
  std::int64_t stride(int axis) const { return strides_[axis]; }

  // One number for the whole range / the flat index itself.
  bool uniform() const { return rank_ == 1 && strides_[0] == 0; }
  bool dense() const { return rank_ == 1 && strides_[0] == 1; }

  // Runs along the last axis, in order from a flat index.
  class Cursor {
   public:
    Cursor(const TileLayout& layout, std::int64_t flat);
    std::int64_t offset() const { return offset_; }
    // Elements that follow with the last axis' stride, this one included.
    std::int64_t run() const;
    // To the first element after the run.
    void NextRun();

   private:
    const TileLayout& layout_;
    std::array<std::int64_t, Shape::kMaxRank> index_;
    std::int64_t offset_ = 0;
  };

 private:
  int rank_ = 0;  // at least 1
  std::array<std::int64_t, Shape::kMaxRank> extents_;
  std::array<std::int64_t, Shape::kMaxRank> strides_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_LAYOUT_H_

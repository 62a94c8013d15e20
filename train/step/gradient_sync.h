// Which gradients are added over which axes of the mesh.
//
// A tensor that every rank holds is added over all axes along which the ranks'
// shares differ. Of a tensor that is cut over an axis, each rank has the
// gradient of its own part, and nothing is added over that axis.
//
// Tensors that are added over the same axes lie side by side in the flat
// gradient, and are added in one piece.

#ifndef GYRE_TRAIN_STEP_GRADIENT_SYNC_H_
#define GYRE_TRAIN_STEP_GRADIENT_SYNC_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/mesh/mesh.h"
#include "gyre/models/part.h"
#include "gyre/optim/layout.h"

namespace gyre::internal::inline train {

// Of one tensor.
struct TensorMesh {
  PartSpec part = {};
  AxisSet reduce = 0;  // axes with more than one rank
};

// Tensors [begin, end) of the layout.
struct SyncRange {
  int begin = 0;
  int end = 0;
  AxisSet axes = 0;
  std::int64_t offset = 0;  // in elements, as `count`
  std::int64_t count = 0;
};

class GradientSync {
 public:
  GradientSync(const Mesh& mesh,
               const optim::FlatLayout& layout,
               std::vector<TensorMesh> tensors);

  std::span<const SyncRange> ranges() const { return ranges_; }
  const TensorMesh& tensor(int i) const { return tensors_[i]; }
  // The sets of axes over which some tensor is cut.
  std::span<const AxisSet> part_sets() const { return part_sets_; }
  bool has_parts() const { return !part_sets_.empty(); }
  // The place of the set over which tensor `i` is cut among part_sets(); -1:
  // every rank holds all of it.
  int PartSetOf(int i) const;
  // The whole gradient is added over all ranks at once: what the ranks tell
  // each other can travel with it.
  bool in_one_piece() const { return in_one_piece_; }

  // "data=2: 12 tensors, 4096 elements": a line a range.
  std::string Describe(const Mesh& mesh) const;

 private:
  std::vector<TensorMesh> tensors_;
  std::vector<SyncRange> ranges_;
  std::vector<AxisSet> part_sets_;
  bool in_one_piece_ = false;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_GRADIENT_SYNC_H_

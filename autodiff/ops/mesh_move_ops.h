// The operations behind mesh_moves.h: numbers that go from rank to rank.
//
// Each works along one mesh axis of `size` ranks, with a leading extent of
// `size` where the ranks' parts stand one after the other.
//
//   operation          operand        result         gradient
//   mesh_gather        (...)          (size, ...)    mesh_scatter_sum
//   mesh_gather_same   (...)          (size, ...)*   mesh_own_part
//   mesh_scatter_sum   (size, ...)    (...)          mesh_gather
//   mesh_own_part      (size, ...)*   (...)          mesh_gather_same
//   mesh_all_to_all    (size, ...)    (size, ...)    mesh_all_to_all
//   mesh_permute       (...)          (...)          the inverse mesh_permute
//
// * the same numbers on all ranks of the axis: does not vary over it.
// The pairs are those of Xu et al., GSPMD (2021), and of typed shard_map.

#ifndef GYRE_AUTODIFF_OPS_MESH_MOVE_OPS_H_
#define GYRE_AUTODIFF_OPS_MESH_MOVE_OPS_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

// The axis that an operation works along.
struct MeshLine {
  AxisSet axis = 0;  // one bit
  int size = 1;      // its ranks
  std::string name;  // "model"
};

// The value as one that varies over the line.
Var Varying(Traced x, const MeshLine& line);

class MeshMoveOp : public Op {
 public:
  explicit MeshMoveOp(MeshLine line) : line_(std::move(line)) {}
  std::string attributes() const override {
    return Cat("axis=", line_.name, " ranks=", line_.size);
  }
  bool moves_data() const override { return true; }

 protected:
  const MeshLine& line() const { return line_; }
  // Infer for a result that gains, loses or keeps the leading extent.
  StatusOr<std::vector<TensorSpec>> Gained(const TensorSpec& in,
                                           bool varies) const;
  StatusOr<std::vector<TensorSpec>> Lost(const TensorSpec& in) const;

 private:
  MeshLine line_;
};

class MeshGatherOp final : public MeshMoveOp {
 public:
  // `same`: the result is known not to vary over the axis.
  MeshGatherOp(MeshLine line, bool same)
      : MeshMoveOp(std::move(line)), same_(same) {}
  std::string_view name() const override {
    return same_ ? "mesh_gather_same" : "mesh_gather";
  }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  bool same_;
};

class MeshScatterSumOp final : public MeshMoveOp {
 public:
  using MeshMoveOp::MeshMoveOp;
  std::string_view name() const override { return "mesh_scatter_sum"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
};

class MeshOwnPartOp final : public MeshMoveOp {
 public:
  using MeshMoveOp::MeshMoveOp;
  std::string_view name() const override { return "mesh_own_part"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
};

class MeshAllToAllOp final : public MeshMoveOp {
 public:
  using MeshMoveOp::MeshMoveOp;
  std::string_view name() const override { return "mesh_all_to_all"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
};

class MeshPermuteOp final : public MeshMoveOp {
 public:
  // sources[r]: whom rank r of the axis receives from, or -1 for zeros. No
  // rank is named twice.
  MeshPermuteOp(MeshLine line, std::vector<int> sources)
      : MeshMoveOp(std::move(line)), sources_(std::move(sources)) {}
  std::string_view name() const override { return "mesh_permute"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;

 private:
  std::vector<int> sources_;
};

// This rank's place on the axis: an i32 scalar. Its input only says where.
class MeshIndexOp final : public MeshMoveOp {
 public:
  using MeshMoveOp::MeshMoveOp;
  std::string_view name() const override { return "mesh_index"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_MESH_MOVE_OPS_H_

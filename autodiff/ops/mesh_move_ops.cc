#include "gyre/autodiff/ops/mesh_move_ops.h"

#include <algorithm>
#include <cstring>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {
namespace {

// What the kernels here share: one call of the axis's communicator. Elements
// are counted in one rank's part.
class MoveKernel : public Kernel {
 public:
  MoveKernel(const KernelTensor& part, const MeshLine& line, SourceLoc loc)
      : count_(part.shape.elements()),
        dtype_(part.dtype),
        axis_(line.axis),
        loc_(loc) {}

 protected:
  // Null where the axis has one rank.
  Communicator* Group(const KernelArgs& args) const {
    const Mesh* mesh = args.context->mesh;
    return mesh == nullptr ? nullptr : mesh->Group(axis_);
  }
  CallSite Site(const char* label, const KernelArgs& args) const {
    return {.label = label, .loc = loc_, .step = args.context->step};
  }
  Status Copy(const void* from, void* to) const {
    if (bytes() > 0) std::memcpy(to, from, bytes());
    return OkStatus();
  }
  std::size_t bytes() const { return count_ * SizeOf(dtype_); }

  std::size_t count_;
  DType dtype_;

 private:
  AxisSet axis_;
  SourceLoc loc_;
};

class GatherKernel final : public MoveKernel {
 public:
  using MoveKernel::MoveKernel;
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    if (group == nullptr) return Copy(args.in[0], args.out[0]);
    return group->AllGather(
        args.in[0], args.out[0], count_, dtype_, Site("all_gather", args));
  }
};

class ScatterSumKernel final : public MoveKernel {
 public:
  using MoveKernel::MoveKernel;
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    if (group == nullptr) return Copy(args.in[0], args.out[0]);
    return group->ReduceScatter(args.in[0],
                                args.out[0],
                                count_,
                                dtype_,
                                ReduceOp::kSum,
                                Site("reduce_scatter", args));
  }
};

// Talks to nobody: all ranks hold all parts.
class OwnPartKernel final : public MoveKernel {
 public:
  using MoveKernel::MoveKernel;
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    const std::size_t place = group == nullptr ? 0 : group->rank();
    return Copy(args.input<std::byte>(0) + place * bytes(), args.out[0]);
  }
};

class AllToAllKernel final : public MoveKernel {
 public:
  using MoveKernel::MoveKernel;
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    if (group == nullptr) return Copy(args.in[0], args.out[0]);
    return group->AllToAll(
        args.in[0], args.out[0], count_, dtype_, Site("all_to_all", args));
  }
};

class PermuteKernel final : public MoveKernel {
 public:
  PermuteKernel(const KernelTensor& part,
                const MeshLine& line,
                SourceLoc loc,
                std::vector<int> sources)
      : MoveKernel(part, line, loc), sources_(std::move(sources)) {}
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    if (group != nullptr) {
      return group->Permute(args.in[0],
                            args.out[0],
                            count_,
                            dtype_,
                            sources_,
                            Site("permute", args));
    }
    if (sources_[0] == 0) return Copy(args.in[0], args.out[0]);
    if (bytes() > 0) std::memset(args.out[0], 0, bytes());
    return OkStatus();
  }

 private:
  std::vector<int> sources_;
};

class IndexKernel final : public MoveKernel {
 public:
  using MoveKernel::MoveKernel;
  Status Run(const KernelArgs& args) override {
    Communicator* group = Group(args);
    *args.output<std::int32_t>(0) = group == nullptr ? 0 : group->rank();
    return OkStatus();
  }
};

Var RecordMove(std::shared_ptr<const Op> op, Var x) {
  return x.tape()->RecordOne(std::move(op), {&x, 1}, {});
}

template <class KernelType>
std::unique_ptr<Kernel> Make(const KernelTensor& part,
                             const MeshLine& line,
                             const KernelRequest& request) {
  return std::make_unique<KernelType>(part, line, request.loc);
}

}  // namespace

Var Varying(Traced x, const MeshLine& line) {
  const Var var = x.var();
  if (!var.valid() || (var.varies() & line.axis) != 0) return var;
  return var.tape()->RecordOne(
      std::make_shared<VaryOp>(line.axis), {&var, 1}, x.loc());
}

StatusOr<std::vector<TensorSpec>> MeshMoveOp::Gained(const TensorSpec& in,
                                                     bool varies) const {
  std::vector<std::int64_t> dims = in.shape.dims();
  dims.insert(dims.begin(), line_.size);
  TensorSpec out{Shape(std::move(dims)), in.dtype, in.varies};
  if (!varies) out.varies &= ~line_.axis;
  return std::vector<TensorSpec>{out};
}

StatusOr<std::vector<TensorSpec>> MeshMoveOp::Lost(const TensorSpec& in) const {
  std::vector<std::int64_t> dims = in.shape.dims();
  if (dims.empty() || dims[0] != line_.size) {
    return ConfigError("expected one part for each of the ",
                       line_.size,
                       " ranks of ",
                       line_.name,
                       ", got shape ",
                       in.shape);
  }
  dims.erase(dims.begin());
  return std::vector<TensorSpec>{
      TensorSpec{Shape(std::move(dims)), in.dtype, in.varies | line_.axis}};
}

StatusOr<std::vector<TensorSpec>> MeshGatherOp::Infer(
    std::span<const TensorSpec> inputs) const {
  return Gained(inputs[0], !same_);
}

std::vector<Var> MeshGatherOp::Vjp(const VjpArgs& args) const {
  const Var grad = args.grads[0];
  if (same_) return {RecordMove(std::make_shared<MeshOwnPartOp>(line()), grad)};
  return {RecordMove(std::make_shared<MeshScatterSumOp>(line()),
                     Varying(grad, line()))};
}

StatusOr<std::unique_ptr<Kernel>> MeshGatherOp::MakeKernel(
    const KernelRequest& request) const {
  return Make<GatherKernel>(request.inputs[0], line(), request);
}

StatusOr<std::vector<TensorSpec>> MeshScatterSumOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if (!IsFloat(inputs[0].dtype)) {
    return ConfigError("expected float numbers, got ", inputs[0].dtype);
  }
  return Lost(inputs[0]);
}

std::vector<Var> MeshScatterSumOp::Vjp(const VjpArgs& args) const {
  return {RecordMove(std::make_shared<MeshGatherOp>(line(), false),
                     Varying(args.grads[0], line()))};
}

StatusOr<std::unique_ptr<Kernel>> MeshScatterSumOp::MakeKernel(
    const KernelRequest& request) const {
  return Make<ScatterSumKernel>(request.outputs[0], line(), request);
}

StatusOr<std::vector<TensorSpec>> MeshOwnPartOp::Infer(
    std::span<const TensorSpec> inputs) const {
  if ((inputs[0].varies & line().axis) != 0) {
    return ConfigError("the value varies over ",
                       line().name,
                       ": each rank has numbers of its own there, and no part "
                       "of a common one");
  }
  return Lost(inputs[0]);
}

std::vector<Var> MeshOwnPartOp::Vjp(const VjpArgs& args) const {
  return {RecordMove(std::make_shared<MeshGatherOp>(line(), true),
                     Varying(args.grads[0], line()))};
}

StatusOr<std::unique_ptr<Kernel>> MeshOwnPartOp::MakeKernel(
    const KernelRequest& request) const {
  return Make<OwnPartKernel>(request.outputs[0], line(), request);
}

StatusOr<std::vector<TensorSpec>> MeshAllToAllOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_RETURN_IF_ERROR(Lost(inputs[0]).status());
  return std::vector<TensorSpec>{TensorSpec{
      inputs[0].shape, inputs[0].dtype, inputs[0].varies | line().axis}};
}

std::vector<Var> MeshAllToAllOp::Vjp(const VjpArgs& args) const {
  return {RecordMove(std::make_shared<MeshAllToAllOp>(line()),
                     Varying(args.grads[0], line()))};
}

StatusOr<std::unique_ptr<Kernel>> MeshAllToAllOp::MakeKernel(
    const KernelRequest& request) const {
  KernelTensor part = request.inputs[0];
  std::vector<std::int64_t> dims = part.shape.dims();
  dims.erase(dims.begin());
  part.shape = Shape(std::move(dims));
  return Make<AllToAllKernel>(part, line(), request);
}

std::string MeshPermuteOp::attributes() const {
  std::string text = MeshMoveOp::attributes() + " from=";
  for (const int source : sources_) text += Cat(source, ",");
  text.pop_back();
  return text;
}

StatusOr<std::vector<TensorSpec>> MeshPermuteOp::Infer(
    std::span<const TensorSpec> inputs) const {
  TensorSpec out = inputs[0];
  out.varies |= line().axis;
  return std::vector<TensorSpec>{out};
}

std::vector<Var> MeshPermuteOp::Vjp(const VjpArgs& args) const {
  std::vector<int> back(sources_.size(), -1);
  for (std::size_t r = 0; r < sources_.size(); ++r) {
    if (sources_[r] >= 0) back[sources_[r]] = static_cast<int>(r);
  }
  return {RecordMove(std::make_shared<MeshPermuteOp>(line(), std::move(back)),
                     Varying(args.grads[0], line()))};
}

StatusOr<std::unique_ptr<Kernel>> MeshPermuteOp::MakeKernel(
    const KernelRequest& request) const {
  return std::make_unique<PermuteKernel>(
      request.inputs[0], line(), request.loc, sources_);
}

StatusOr<std::vector<TensorSpec>> MeshIndexOp::Infer(
    std::span<const TensorSpec>) const {
  return std::vector<TensorSpec>{TensorSpec{Shape(), DType::kI32, line().axis}};
}

std::vector<Var> MeshIndexOp::Vjp(const VjpArgs& args) const {
  return std::vector<Var>(args.inputs.size());
}

StatusOr<std::unique_ptr<Kernel>> MeshIndexOp::MakeKernel(
    const KernelRequest& request) const {
  return Make<IndexKernel>(request.outputs[0], line(), request);
}

}  // namespace gyre::internal::inline autodiff

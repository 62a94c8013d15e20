#include "gyre/autodiff/exec/elementwise_kernel.h"

#include <utility>

#include "gyre/autodiff/exec/jit_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/tile_kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

class TileProgramKernel final : public Kernel {
 public:
  explicit TileProgramKernel(TileKernel kernel) : kernel_(std::move(kernel)) {}

  std::size_t scratch_bytes() const override { return kernel_.scratch_bytes(); }
  Status Run(const KernelArgs& args) override {
    kernel_.Run(args.in, args.out, args.scratch);
    return OkStatus();
  }

 private:
  TileKernel kernel_;
};

class JitProgramKernel final : public Kernel {
 public:
  explicit JitProgramKernel(std::unique_ptr<const JitKernel> kernel)
      : kernel_(std::move(kernel)) {}

  std::size_t scratch_bytes() const override {
    return kernel_->scratch_bytes();
  }
  Status Run(const KernelArgs& args) override {
    kernel_->Run(args.in, args.out, args.scratch);
    return OkStatus();
  }

 private:
  std::unique_ptr<const JitKernel> kernel_;
};

class ReduceProgramKernel final : public Kernel {
 public:
  explicit ReduceProgramKernel(ReduceKernel kernel)
      : kernel_(std::move(kernel)) {}

  std::size_t scratch_bytes() const override { return kernel_.scratch_bytes(); }
  Status Run(const KernelArgs& args) override {
    kernel_.Run(args.in, args.out[0], args.scratch);
    return OkStatus();
  }

 private:
  ReduceKernel kernel_;
};

}  // namespace

std::vector<std::int64_t> BroadcastStrides(const Shape& shape,
                                           const Shape& extents) {
  const std::vector<std::int64_t> dense = RowMajorStrides(shape);
  std::vector<std::int64_t> strides(extents.rank(), 0);
  const int shift = extents.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    strides[i + shift] = shape[i] == 1 ? 0 : dense[i];
  }
  return strides;
}

StatusOr<std::unique_ptr<Kernel>> MakeElementwiseKernel(
    Code code, const KernelRequest& request) {
  const KernelTensor& out = request.outputs[0];
  TileProgram program;
  program.extents = out.shape;
  for (const KernelTensor& in : request.inputs) {
    if (in.dtype == DType::kF64) program.compute = DType::kF64;
    program.AddInput(in.dtype, BroadcastStrides(in.shape, out.shape));
  }
  program.AddOutput(program.Emit(code, 0, 1, 2), out.dtype);
  return MakeTileKernel(program, request.jit);
}

StatusOr<std::unique_ptr<Kernel>> MakeTileKernel(const TileProgram& program,
                                                 bool jit) {
  if (jit) {
    if (auto code = JitKernel::Prepare(program)) {
      return std::make_unique<JitProgramKernel>(std::move(code));
    }
  }
  GYRE_ASSIGN_OR_RETURN(TileKernel kernel, TileKernel::Prepare(program));
  return std::make_unique<TileProgramKernel>(std::move(kernel));
}

StatusOr<std::unique_ptr<Kernel>> MakeReduceKernel(const ReduceProgram& program,
                                                   bool jit) {
  GYRE_ASSIGN_OR_RETURN(ReduceKernel kernel,
                        ReduceKernel::Prepare(program, jit));
  return std::make_unique<ReduceProgramKernel>(std::move(kernel));
}

}  // namespace gyre::internal::inline autodiff

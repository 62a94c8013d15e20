#include "gyre/autodiff/plan/fused_op.h"

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/tile_kernel.h"
#include "gyre/core/number.h"

namespace gyre::internal::inline autodiff {

std::string ProgramText(const TileProgram& program) {
  std::string text;
  for (const TileInstruction& i : program.instructions) {
    if (!text.empty()) text += "; ";
    text += Cat("r", i.dst, "=", i.code);
    if (i.code == Code::kConstant) text += Cat(" ", Number(i.imm));
    const TileRegister operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < Arity(i.code); ++k) text += Cat(" r", operands[k]);
  }
  return text;
}

std::string FusedOp::attributes() const { return ProgramText(program_); }

StatusOr<std::vector<TensorSpec>> FusedOp::Infer(
    std::span<const TensorSpec>) const {
  std::vector<TensorSpec> specs;
  for (const TileOutput& output : program_.outputs) {
    specs.push_back({program_.extents, output.dtype, 0});
  }
  return specs;
}

std::vector<Var> FusedOp::Vjp(const VjpArgs&) const {
  GYRE_CHECK(false, "a plan is not differentiated");
  return {};
}

StatusOr<std::unique_ptr<Kernel>> FusedOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeTileKernel(program_, request.jit);
}

bool FusedOp::CanOverwrite(int output, int input) const {
  const auto kernel = TileKernel::Prepare(program_);
  return kernel.ok() && kernel->CanOverwrite(output, input);
}

}  // namespace gyre::internal::inline autodiff

// Several elementwise operations as one. Made by the fusion pass alone.

#ifndef GYRE_AUTODIFF_PLAN_FUSED_OP_H_
#define GYRE_AUTODIFF_PLAN_FUSED_OP_H_

#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/tile_program.h"
#include "gyre/autodiff/op.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {

// Where one instruction of a fused program comes from.
struct FusedPart {
  SourceLoc loc;
  NodeId origin = -1;
};

// "r2=add r0 r1; r3=tanh r2": one line, registers numbered as in the program.
std::string ProgramText(const TileProgram& program);

class FusedOp final : public Op {
 public:
  FusedOp(TileProgram program, std::vector<FusedPart> parts)
      : program_(std::move(program)), parts_(std::move(parts)) {}

  const TileProgram& program() const { return program_; }
  // One for each instruction that is not a constant.
  const std::vector<FusedPart>& parts() const { return parts_; }

  std::string_view name() const override { return "fused"; }
  std::string attributes() const override;
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override;
  std::vector<Var> Vjp(const VjpArgs& args) const override;
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override;
  bool CanOverwrite(int output, int input) const override;

 private:
  TileProgram program_;
  std::vector<FusedPart> parts_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_FUSED_OP_H_

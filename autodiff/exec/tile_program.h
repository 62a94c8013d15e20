// An elementwise program: what fusion makes of a chain of operations.
//
//   TileProgram p{.compute = DType::kF32, .extents = Shape({4, 8})};
//   const auto x = p.AddInput(DType::kF32, {8, 1});
//   const auto bias = p.AddInput(DType::kF32, {0, 1});   // broadcast rows
//   const auto y = p.Emit(Code::kTanh, p.Emit(Code::kAdd, x, bias));
//   p.AddOutput(y, DType::kF32);
//   GYRE_ASSIGN_OR_RETURN(const auto kernel, TileKernel::Prepare(p));
//
// Registers are numbered: first the inputs in order, then one for each
// instruction. Each is written once (static single assignment).

#ifndef GYRE_AUTODIFF_EXEC_TILE_PROGRAM_H_
#define GYRE_AUTODIFF_EXEC_TILE_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/autodiff/pointwise_code.h"
#include "gyre/core/dtype.h"
#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

using TileRegister = std::uint16_t;

struct TileInput {
  DType dtype;
  // In elements, one for each axis of the extents; 0 broadcasts the axis.
  std::vector<std::int64_t> strides;
};

struct TileInstruction {
  Code code;
  TileRegister dst = 0;
  TileRegister a = 0, b = 0, c = 0;  // those beyond the arity are ignored
  double imm = 0;                    // of kConstant
};

// Dense and row-major over the extents.
struct TileOutput {
  TileRegister reg;
  DType dtype;
};

struct TileProgram {
  DType compute = DType::kF32;  // or kF64
  Shape extents = {};
  std::vector<TileInput> inputs = {};
  std::vector<TileInstruction> instructions = {};
  std::vector<TileOutput> outputs = {};

  // All inputs come before the first instruction.
  TileRegister AddInput(DType dtype, std::vector<std::int64_t> strides);
  TileRegister Emit(Code code,
                    TileRegister a = 0,
                    TileRegister b = 0,
                    TileRegister c = 0);
  TileRegister Constant(double value);
  void AddOutput(TileRegister reg, DType dtype);

  int registers() const {
    return static_cast<int>(inputs.size() + instructions.size());
  }

  // Errors: another compute type, strides that do not match the extents, a
  // register read before it is written or written twice.
  Status Validate() const;

  // One line an instruction: "r2 = add r0 r1".
  std::string ToString() const;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_PROGRAM_H_

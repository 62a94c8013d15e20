#include "gyre/autodiff/exec/tile_program.h"

#include <limits>
#include <sstream>

#include "gyre/core/check.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr int kMaxRegisters = std::numeric_limits<TileRegister>::max();

Status ValidateInstruction(const TileInstruction& instruction, int next) {
  if (instruction.dst != next) {
    return InternalError("tile program: expected a write to r",
                         next,
                         ", got r",
                         instruction.dst,
                         "; registers are numbered in order");
  }
  const TileRegister operands[] = {instruction.a, instruction.b, instruction.c};
  for (int i = 0; i < Arity(instruction.code); ++i) {
    if (operands[i] >= next) {
      return InternalError("tile program: ",
                           instruction.code,
                           " reads r",
                           operands[i],
                           " before it is written");
    }
  }
  return OkStatus();
}

}  // namespace

TileRegister TileProgram::AddInput(DType dtype,
                                   std::vector<std::int64_t> strides) {
  GYRE_CHECK(instructions.empty(), "inputs come before instructions");
  inputs.push_back({dtype, std::move(strides)});
  return static_cast<TileRegister>(registers() - 1);
}

TileRegister TileProgram::Emit(Code code,
                               TileRegister a,
                               TileRegister b,
                               TileRegister c) {
  const auto dst = static_cast<TileRegister>(registers());
  instructions.push_back({code, dst, a, b, c, 0});
  return dst;
}

TileRegister TileProgram::Constant(double value) {
  const TileRegister dst = Emit(Code::kConstant);
  instructions.back().imm = value;
  return dst;
}

void TileProgram::AddOutput(TileRegister reg, DType dtype) {
  outputs.push_back({reg, dtype});
}

Status TileProgram::Validate() const {
  GYRE_RETURN_IF_ERROR(extents.Validate());
  if (compute != DType::kF32 && compute != DType::kF64) {
    return InternalError("tile program: computes in f32 or f64, not in ",
                         compute);
  }
  if (registers() > kMaxRegisters) {
    return InternalError("tile program: ",
                         registers(),
                         " registers, at most ",
                         kMaxRegisters,
                         "; split it");
  }
  for (const TileInput& input : inputs) {
    if (static_cast<int>(input.strides.size()) != extents.rank()) {
      return InternalError("tile program: ",
                           input.strides.size(),
                           " strides for the extents ",
                           extents);
    }
  }
  int next = static_cast<int>(inputs.size());
  for (const TileInstruction& instruction : instructions) {
    GYRE_RETURN_IF_ERROR(ValidateInstruction(instruction, next++));
  }
  for (const TileOutput& output : outputs) {
    if (output.reg >= registers()) {
      return InternalError(
          "tile program: output of r", output.reg, ", which is not written");
    }
  }
  return OkStatus();
}

std::string TileProgram::ToString() const {
  std::ostringstream out;
  out << compute << " " << extents << "\n";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    out << "r" << i << " = input " << inputs[i].dtype << " [";
    for (std::size_t k = 0; k < inputs[i].strides.size(); ++k) {
      out << (k == 0 ? "" : " ") << inputs[i].strides[k];
    }
    out << "]\n";
  }
  for (const TileInstruction& instruction : instructions) {
    out << "r" << instruction.dst << " = " << instruction.code;
    const TileRegister operands[] = {
        instruction.a, instruction.b, instruction.c};
    for (int i = 0; i < Arity(instruction.code); ++i) {
      out << " r" << operands[i];
    }
    if (instruction.code == Code::kConstant) out << " " << instruction.imm;
    out << "\n";
  }
  for (const TileOutput& output : outputs) {
    out << "output " << output.dtype << " r" << output.reg << "\n";
  }
  return out.str();
}

}  // namespace gyre::internal::inline autodiff

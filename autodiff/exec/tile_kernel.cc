#include "gyre/autodiff/exec/tile_kernel.h"

#include <algorithm>
#include <cstring>

#include "gyre/core/check.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {

StatusOr<TileKernel> TileKernel::Prepare(const TileProgram& program) {
  GYRE_RETURN_IF_ERROR(program.Validate());
  return TileKernel(program);
}

TileKernel::TileKernel(const TileProgram& program)
    : program_(program),
      elements_(program.extents.elements()),
      compute_bytes_(SizeOf(program.compute)),
      vector_bytes_(sizeof(FloatBatch)),
      lanes_(static_cast<std::int64_t>(vector_bytes_ / compute_bytes_)) {
  std::vector<TileLayout> layouts;
  for (const TileInput& input : program.inputs) {
    layouts.emplace_back(program.extents, input.strides);
    inputs_.push_back({layouts.back(),
                       FindTileLoad(input.dtype, program.compute),
                       SizeOf(input.dtype),
                       input.dtype == program.compute});
  }
  for (const TileInstruction& instruction : program.instructions) {
    functions_.push_back(FindTileFunction(instruction.code, program.compute));
  }
  for (const TileOutput& output : program.outputs) {
    stores_.push_back(FindTileStore(output.dtype, program.compute));
  }
  schedule_ =
      ScheduleTile(program, layouts, program.registers() * sizeof(TileOperand));
}

void TileKernel::RunRange(const void* const* in,
                          void* const* out,
                          std::int64_t begin,
                          std::int64_t end,
                          std::byte* scratch) const {
  if (begin >= end) return;
  Begin(in, scratch);
  for (; begin < end; begin += kTileElements) {
    const std::int64_t n = std::min(kTileElements, end - begin);
    const Tile tile{in, out, begin, n, scratch, n % lanes_ == 0};
    EvaluateTile(tile);
    StoreOutputs(tile);
  }
}

void TileKernel::Begin(const void* const* in, std::byte* scratch) const {
  // Uniform registers: a tile of one vector.
  const Tile tile{in, nullptr, 0, lanes_, scratch, true};
  TileOperand* operands = Operands(scratch);
  for (const TileStep& step : schedule_.once) {
    if (step.kind == TileStep::Kind::kLoad) {
      std::byte* slot = scratch + schedule_.slot[step.index];
      inputs_[step.index].load(
          static_cast<const std::byte*>(in[step.index]), 0, slot, lanes_);
      operands[step.index] = {slot, 0};
    } else {
      ComputeStep(step, tile);
      operands[program_.instructions[step.index].dst].step = 0;
    }
  }
}

TileOperand TileKernel::Evaluate(const void* const* in,
                                 std::int64_t begin,
                                 std::int64_t n,
                                 std::byte* scratch) const {
  EvaluateTile({in, nullptr, begin, n, scratch, n % lanes_ == 0});
  return Operands(scratch)[program_.outputs[0].reg];
}

void TileKernel::EvaluateTile(const Tile& tile) const {
  for (const TileStep& step : schedule_.per_tile) {
    if (step.kind == TileStep::Kind::kLoad) {
      Operands(tile.scratch)[step.index] = LoadInput(step.index, tile);
    } else {
      ComputeStep(step, tile);
    }
  }
}

void TileKernel::ComputeStep(const TileStep& step, const Tile& tile) const {
  const TileInstruction& instruction = program_.instructions[step.index];
  TileOperand* operands = Operands(tile.scratch);
  std::byte* dst = Destination(instruction.dst, tile);
  if (instruction.code == Code::kConstant) {
    if (program_.compute == DType::kF64) {
      Store(reinterpret_cast<double*>(dst), DoubleBatch(instruction.imm));
    } else {
      Store(reinterpret_cast<float*>(dst),
            FloatBatch(static_cast<float>(instruction.imm)));
    }
  } else {
    functions_[step.index](dst,
                           operands[instruction.a],
                           operands[instruction.b],
                           operands[instruction.c],
                           (tile.n + lanes_ - 1) / lanes_);
  }
  operands[instruction.dst] = {dst, vector_bytes_};
}

std::byte* TileKernel::Destination(TileRegister reg, const Tile& tile) const {
  const int output = schedule_.direct[reg];
  if (output >= 0 && tile.whole && tile.out != nullptr) {
    return static_cast<std::byte*>(tile.out[output]) +
           tile.begin * compute_bytes_;
  }
  return tile.scratch + schedule_.slot[reg];
}

TileOperand TileKernel::LoadInput(int i, const Tile& tile) const {
  const Input& input = inputs_[i];
  const auto* base = static_cast<const std::byte*>(tile.in[i]);
  const bool in_place = input.same_type && tile.whole;
  if (in_place && input.layout.dense()) {
    return {base + tile.begin * input.element_bytes, vector_bytes_};
  }
  std::byte* slot = tile.scratch + schedule_.slot[i];
  const TileLayout::Cursor cursor(input.layout, tile.begin);
  const std::int64_t stride = input.layout.stride(input.layout.rank() - 1);
  if (cursor.run() >= tile.n) {
    const std::byte* first =
        base + cursor.offset() * std::int64_t(input.element_bytes);
    if (stride == 1 && in_place) return {first, vector_bytes_};
    if (stride == 0) {
      input.load(first, 0, slot, lanes_);
      return {slot, 0};
    }
  }
  Gather(input, base, tile, slot);
  return {slot, vector_bytes_};
}

// Run by run into the slot; the rest of the last vector becomes 0.
void TileKernel::Gather(const Input& input,
                        const std::byte* base,
                        const Tile& tile,
                        std::byte* dst) const {
  const auto element_bytes = static_cast<std::int64_t>(input.element_bytes);
  const std::int64_t stride = input.layout.stride(input.layout.rank() - 1);
  TileLayout::Cursor cursor(input.layout, tile.begin);
  for (std::int64_t done = 0; done < tile.n;) {
    const std::int64_t n = std::min(cursor.run(), tile.n - done);
    input.load(base + cursor.offset() * element_bytes,
               stride,
               dst + done * compute_bytes_,
               n);
    done += n;
    cursor.NextRun();
  }
  const std::int64_t rest = (lanes_ - tile.n % lanes_) % lanes_;
  std::memset(dst + tile.n * compute_bytes_, 0, rest * compute_bytes_);
}

void TileKernel::StoreOutputs(const Tile& tile) const {
  const TileOperand* operands = Operands(tile.scratch);
  for (std::size_t k = 0; k < stores_.size(); ++k) {
    const auto [reg, dtype] = program_.outputs[k];
    if (tile.whole && schedule_.direct[reg] == static_cast<int>(k)) continue;
    std::byte* dst =
        static_cast<std::byte*>(tile.out[k]) + tile.begin * SizeOf(dtype);
    const TileOperand& operand = operands[reg];
    if (operand.step != 0) {
      stores_[k](operand.data, dst, tile.n);
      continue;
    }
    for (std::int64_t i = 0; i < tile.n; i += lanes_) {
      stores_[k](
          operand.data, dst + i * SizeOf(dtype), std::min(lanes_, tile.n - i));
    }
  }
}

bool TileKernel::CanOverwrite(int output, int input) const {
  return inputs_[input].layout.dense() &&
         inputs_[input].element_bytes ==
             SizeOf(program_.outputs[output].dtype) &&
         schedule_.last_read[input] <= schedule_.written_at[output];
}

}  // namespace gyre::internal::inline autodiff

// Runs elementwise programs, tile by tile, each instruction a SIMD loop.
//
//   GYRE_ASSIGN_OR_RETURN(const TileKernel kernel, TileKernel::Prepare(p));
//   AlignedBuffer scratch = AllocateAligned(kernel.scratch_bytes());
//   const void* in[] = {x, bias};
//   void* out[] = {y};
//   kernel.Run(in, out, scratch.get());
//
// Everything is decided in Prepare; a run allocates nothing. Dense inputs are
// read where they are and dense outputs written where they go. The result of
// an element depends on nothing but its operands: any split into ranges, and
// any place in a vector, gives the same bits.
//
// WARNING 1: the scratch memory is for one run at a time and aligned to
// kAlignment; threads that share a kernel bring their own.
// WARNING 2: an output may lie in the memory of an input only where
// CanOverwrite says so, and if no other input reads that memory.

#ifndef GYRE_AUTODIFF_EXEC_TILE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_TILE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gyre/autodiff/exec/tile_convert.h"
#include "gyre/autodiff/exec/tile_functions.h"
#include "gyre/autodiff/exec/tile_layout.h"
#include "gyre/autodiff/exec/tile_program.h"
#include "gyre/autodiff/exec/tile_schedule.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

class TileKernel {
 public:
  // Errors: those of TileProgram::Validate.
  static StatusOr<TileKernel> Prepare(const TileProgram& program);

  std::int64_t elements() const { return elements_; }
  std::size_t scratch_bytes() const { return schedule_.scratch_bytes; }

  // in[i]: element 0 of input i. out[k]: the memory of output k.
  void Run(const void* const* in, void* const* out, std::byte* scratch) const {
    RunRange(in, out, 0, elements_, scratch);
  }
  // Of the flat output index, [begin, end).
  void RunRange(const void* const* in,
                void* const* out,
                std::int64_t begin,
                std::int64_t end,
                std::byte* scratch) const;

  // Output and input may be the same memory.
  bool CanOverwrite(int output, int input) const;

  // For kernels that consume the first output without storing it: Begin once,
  // then any tiles of at most kTileElements. The numbers are of the compute
  // type and end on a whole vector (the rest of which means nothing).
  void Begin(const void* const* in, std::byte* scratch) const;
  TileOperand Evaluate(const void* const* in,
                       std::int64_t begin,
                       std::int64_t n,
                       std::byte* scratch) const;

 private:
  struct Input {
    TileLayout layout;
    TileLoad load;
    std::size_t element_bytes;
    bool same_type;  // as the program computes in
  };
  // What one tile works on.
  struct Tile {
    const void* const* in;
    void* const* out;  // null: nothing is stored
    std::int64_t begin, n;
    std::byte* scratch;
    bool whole;  // n is a multiple of a vector's lanes
  };

  explicit TileKernel(const TileProgram& program);

  TileOperand* Operands(std::byte* scratch) const {
    return reinterpret_cast<TileOperand*>(scratch);
  }
  void EvaluateTile(const Tile& tile) const;
  void StoreOutputs(const Tile& tile) const;
  void ComputeStep(const TileStep& step, const Tile& tile) const;
  std::byte* Destination(TileRegister reg, const Tile& tile) const;
  TileOperand LoadInput(int input, const Tile& tile) const;
  void Gather(const Input& input,
              const std::byte* base,
              const Tile& tile,
              std::byte* dst) const;

  TileProgram program_;
  std::int64_t elements_;
  std::size_t compute_bytes_;  // of one element
  std::size_t vector_bytes_;
  std::int64_t lanes_;
  std::vector<Input> inputs_;
  std::vector<TileFunction> functions_;  // by instruction
  std::vector<TileStore> stores_;        // by output
  TileSchedule schedule_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_KERNEL_H_

// Sums, products and extremes over axes of an elementwise program's result.
//
//   ReduceProgram r;                       // mean square error, say
//   r.producer = p;                        // (a - b)^2 over (32, 6, 33, 36)
//   r.axes = {0, 2, 3};                    // leaves (6)
//   r.op = Reduction::kSum;
//   GYRE_ASSIGN_OR_RETURN(const auto kernel, ReduceKernel::Prepare(r));
//   kernel.Run(in, out, scratch);
//
// The producer is computed tile by tile and never stored. An identity program
// (one input, which is the output) reduces a plain tensor.
//
// Order, which depends on the extents alone: the flat index is cut into tiles
// of kTileElements; within a tile, a run of elements that fall into the same
// result is summed in the type the program computes in, by lanes, in several
// chains; the sums of runs are added up in f64, in order. So f32 rounding acts
// on at most a tile, however large the tensor.
//
// Over no elements the sum is 0, the product 1, the maximum -Inf, the minimum
// +Inf. NaN propagates through all four.

#ifndef GYRE_AUTODIFF_EXEC_REDUCE_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_REDUCE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "gyre/autodiff/exec/jit_kernel.h"
#include "gyre/autodiff/exec/tile_kernel.h"
#include "gyre/autodiff/exec/tile_program.h"
#include "gyre/core/dtype.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

enum class Reduction : std::uint8_t { kSum, kProd, kMax, kMin };

std::string_view Name(Reduction op);
inline std::ostream& operator<<(std::ostream& out, Reduction op) {
  return out << Name(op);
}

struct ReduceProgram {
  TileProgram producer;        // of exactly one output, whose dtype is ignored
  std::vector<int> axes = {};  // those that vanish, of the producer's extents
  Reduction op = Reduction::kSum;
  DType result = DType::kF32;
};

class ReduceKernel {
 public:
  // Errors: those of the producer; an axis out of range or named twice.
  // With `jit` the producer is generated code where it can be.
  static StatusOr<ReduceKernel> Prepare(const ReduceProgram& program,
                                        bool jit = false);

  // Extents of the result: those of the axes that stay.
  const Shape& shape() const { return shape_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

  // out: dense, row-major. The scratch memory is aligned to kAlignment.
  void Run(const void* const* in, void* out, std::byte* scratch) const;

 private:
  using Accumulate = void (*)(const std::byte* tile,
                              std::int64_t n,
                              std::int64_t stride,
                              double* result);

  ReduceKernel(const ReduceProgram& program,
               TileKernel producer,
               Shape shape,
               const std::vector<std::int64_t>& result_strides);

  void AddTile(const std::byte* tile,
               std::int64_t begin,
               std::int64_t n,
               double* results) const;

  void UseCode(std::shared_ptr<const JitKernel> code);
  void Layout(std::size_t producer_bytes);
  void RunGenerated(const void* const* in,
                    double* results,
                    std::byte* scratch) const;
  void RunInterpreted(const void* const* in,
                      double* results,
                      std::byte* scratch) const;

  TileKernel producer_;
  std::shared_ptr<const JitKernel> code_;  // instead of it, or null
  Shape shape_;
  // Where in the result an element of the producer falls: stride 0 along the
  // axes that vanish.
  TileLayout result_layout_;
  double identity_;
  Accumulate accumulate_;
  TileStore store_;
  std::size_t compute_bytes_;
  // Parts of the scratch memory; the producer's is at the front.
  std::size_t tile_at_, results_at_, scratch_bytes_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_REDUCE_KERNEL_H_

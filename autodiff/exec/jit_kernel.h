// Runs an elementwise program as generated code (autodiff/exec/jit_code.h).
//
// The flat range is cut into runs along which every input either steps by one
// element or stays where it is; each run is one call of the generated loop.
// The elements behind the last whole vector of a run are computed in a buffer.
//
// WARNING 1: as with TileKernel, the scratch memory is for one run at a time,
// and an output may lie in the memory of an input where
// TileKernel::CanOverwrite says so.

#ifndef GYRE_AUTODIFF_EXEC_JIT_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_JIT_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/autodiff/exec/jit_code.h"
#include "gyre/autodiff/exec/tile_layout.h"
#include "gyre/autodiff/exec/tile_program.h"

namespace gyre::internal::inline autodiff {

class JitKernel {
 public:
  // Null where code cannot be generated, or would not pay: transposed inputs,
  // runs of fewer than kMinRun elements.
  static std::unique_ptr<const JitKernel> Prepare(const TileProgram& program);

  static constexpr std::int64_t kMinRun = 32;

  std::int64_t elements() const { return elements_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

  void Run(const void* const* in, void* const* out, std::byte* scratch) const {
    RunRange(in, out, 0, elements_, 0, scratch);
  }
  // Elements [begin, begin + n) of the flat output index; element `begin` of
  // output k goes to out[k] + out_begin elements.
  void RunRange(const void* const* in,
                void* const* out,
                std::int64_t begin,
                std::int64_t n,
                std::int64_t out_begin,
                std::byte* scratch) const;

 private:
  struct Input {
    TileLayout layout;
    std::int64_t bytes;  // of an element
    bool scalar;         // along a run
    bool dense;
    bool uniform;
  };
  // Operands of one call, in the scratch memory.
  struct Call {
    const std::byte** in;
    std::byte** out;
    const std::byte** tail_in;
    std::byte** tail_out;
    std::byte* buffers;
  };

  JitKernel(const TileProgram& program,
            std::vector<Input> inputs,
            std::int64_t run);
  Call CallIn(std::byte* scratch) const;
  void RunOnce(const Call& call, std::int64_t n) const;

  std::int64_t elements_;
  std::int64_t run_;  // elements, where inputs are not all dense or uniform
  std::vector<Input> inputs_;
  std::vector<std::int64_t> output_bytes_;  // of an element
  std::unique_ptr<JitCode> code_;
  std::size_t buffers_at_, scratch_bytes_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_JIT_KERNEL_H_

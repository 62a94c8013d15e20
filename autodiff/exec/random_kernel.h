// Random numbers, as a pure function of seed, name, rank, step and position.
//
// The generator is Philox4x32-10 (core/rng.h). Its key is a hash of seed, name
// and rank; its counter holds the step (64 bits) and the block (64 bits). The
// numbers come in groups of 32 = 8 blocks of 4 words, word by word, so that a
// vector of blocks is computed at once and stored without a shuffle:
//
//   uniform i of a group: word i / 8 of block i % 8, its upper 24 bits
//   normal i:             Box-Muller of words 2p and 2p + 1 of block i % 8,
//                         p = i / 8 % 2; with cos for i < 16, sin from there
//
// Both kernel sets give the same bits.

#ifndef GYRE_AUTODIFF_EXEC_RANDOM_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_RANDOM_KERNEL_H_

#include <cstdint>
#include <memory>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

enum class Draw : std::uint8_t { kUniform, kNormal };

struct RandomSource {
  std::uint64_t seed = 0;
  std::uint64_t name = 0;  // a hash of it
  // Axes over which ranks draw different numbers.
  AxisSet varies = 0;
};

// One output, f32.
StatusOr<std::unique_ptr<Kernel>> MakeRandomKernel(const KernelRequest& request,
                                                   Draw draw,
                                                   const RandomSource& source);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_RANDOM_KERNEL_H_

// One small f32 matrix product inside a kernel.

#ifndef GYRE_AUTODIFF_EXEC_GEMM_TILE_H_
#define GYRE_AUTODIFF_EXEC_GEMM_TILE_H_

#include <cstdint>

#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

// A row-major matrix, rows `stride` numbers apart; read transposed if asked.
struct GemmOperand {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};

// c (m, n) = alpha * a (m, k) b (k, n) + beta * c, through oneDNN. With a beta
// of 0 nothing is read from c.
Status GemmTile(std::int64_t m,
                std::int64_t n,
                std::int64_t k,
                float alpha,
                const GemmOperand& a,
                const GemmOperand& b,
                float beta,
                float* c,
                std::int64_t c_stride);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_GEMM_TILE_H_

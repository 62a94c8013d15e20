#include "gyre/autodiff/exec/gemm_tile.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>

namespace gyre::internal::inline autodiff {

Status GemmTile(std::int64_t m,
                std::int64_t n,
                std::int64_t k,
                float alpha,
                const GemmOperand& a,
                const GemmOperand& b,
                float beta,
                float* c,
                std::int64_t c_stride) {
  if (m == 0 || n == 0) return OkStatus();
  if (k == 0) {
    // An empty sum; oneDNN refuses it.
    for (std::int64_t i = 0; beta == 0 && i < m; ++i) {
      std::fill_n(c + i * c_stride, n, 0.0f);
    }
    return OkStatus();
  }
  const dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N',
                                          b.transposed ? 'T' : 'N',
                                          m,
                                          n,
                                          k,
                                          alpha,
                                          a.data,
                                          a.stride,
                                          b.data,
                                          b.stride,
                                          beta,
                                          c,
                                          c_stride);
  if (status == dnnl_success) return OkStatus();
  return InternalError("oneDNN sgemm failed with code ",
                       static_cast<int>(status));
}

}  // namespace gyre::internal::inline autodiff

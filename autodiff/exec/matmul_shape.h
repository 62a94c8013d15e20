// The sizes of one matrix product, shared by its kernels.

#ifndef GYRE_AUTODIFF_EXEC_MATMUL_SHAPE_H_
#define GYRE_AUTODIFF_EXEC_MATMUL_SHAPE_H_

#include <cstdint>

#include "gyre/core/dtype.h"

namespace gyre::internal::inline autodiff {

// y[i] = op(a[i]) op(b[i]) for i < batch; dense row-major matrices.
struct MatmulShape {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;  // a is stored (k, m)
  bool transpose_b = false;  // b is stored (n, k)
  bool shared_b = false;     // one b for the whole batch
  DType dtype = DType::kF32;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_MATMUL_SHAPE_H_

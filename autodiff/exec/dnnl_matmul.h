// Matrix products through oneDNN.

#ifndef GYRE_AUTODIFF_EXEC_DNNL_MATMUL_H_
#define GYRE_AUTODIFF_EXEC_DNNL_MATMUL_H_

#include <memory>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/matmul_shape.h"

namespace gyre::internal::inline autodiff {

StatusOr<std::unique_ptr<Kernel>> MakeDnnlMatmul(const MatmulShape& shape);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_DNNL_MATMUL_H_

// Convolutions through oneDNN.

#ifndef GYRE_AUTODIFF_EXEC_DNNL_CONV_H_
#define GYRE_AUTODIFF_EXEC_DNNL_CONV_H_

#include <memory>

#include "gyre/autodiff/exec/conv_shape.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// oneDNN chooses the layouts that it computes fastest in; where they differ
// from ours, the kernel reorders inside its scratch memory.
StatusOr<std::unique_ptr<Kernel>> MakeDnnlConv(ConvPart part,
                                               const ConvShape& shape,
                                               DType dtype);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_DNNL_CONV_H_

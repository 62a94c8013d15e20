// Convolutions in plain loops: f64, and the reference for f32.

#ifndef GYRE_AUTODIFF_EXEC_REFERENCE_CONV_H_
#define GYRE_AUTODIFF_EXEC_REFERENCE_CONV_H_

#include <memory>

#include "gyre/autodiff/exec/conv_shape.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// Accumulates in f64. Error: a type other than f32 or f64.
StatusOr<std::unique_ptr<Kernel>> MakeReferenceConv(ConvPart part,
                                                    const ConvShape& shape,
                                                    DType dtype);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_REFERENCE_CONV_H_

#include "gyre/core/tensor.h"

#include <cstring>
#include <utility>

#include "gyre/core/aligned.h"

namespace gyre {

using namespace internal;

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), elements_(shape_.elements()) {
  AlignedBuffer buffer = AllocateAligned(bytes());
  GYRE_CHECK(buffer != nullptr, "no memory for a tensor ", shape_);
  buffer_ = std::move(buffer);
}

Tensor Tensor::Clone() const {
  Tensor copy(dtype_, shape_);
  std::memcpy(copy.raw(), raw(), bytes());
  return copy;
}

}  // namespace gyre

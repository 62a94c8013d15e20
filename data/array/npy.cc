#include "gyre/data/array/npy.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/data/array/npy_header.h"

namespace gyre {

using namespace internal;

namespace {

// Turns the bytes of each element around.
void SwapBytes(Tensor* tensor) {
  const std::size_t width = SizeOf(tensor->dtype());
  for (std::size_t i = 0; i < tensor->bytes(); i += width) {
    std::reverse(tensor->raw() + i, tensor->raw() + i + width);
  }
}

// From the first axis fastest to the last axis fastest.
Tensor FromFortranOrder(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const std::size_t width = SizeOf(tensor.dtype());
  Tensor result(tensor.dtype(), shape);
  std::vector<std::int64_t> at(static_cast<std::size_t>(shape.rank()), 0);
  for (std::int64_t to = 0; to < tensor.elements(); ++to) {
    std::int64_t from = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      from = from * shape[axis] + at[static_cast<std::size_t>(axis)];
    }
    std::memcpy(result.raw() + static_cast<std::size_t>(to) * width,
                tensor.raw() + static_cast<std::size_t>(from) * width,
                width);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      auto& index = at[static_cast<std::size_t>(axis)];
      if (++index < shape[axis]) break;
      index = 0;
    }
  }
  return result;
}

}  // namespace

StatusOr<Tensor> ReadNpy(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
  StatusOr<NpyHeader> header = ParseNpyHeader(file);
  if (!header.ok()) return Annotate(header.status(), path + ": ");
  Tensor tensor(header->dtype, header->shape);
  if (tensor.bytes() > 0) {
    std::memcpy(tensor.raw(), file.data() + header->data_begin, tensor.bytes());
  }
  if (header->big_endian) SwapBytes(&tensor);
  return header->fortran_order ? FromFortranOrder(tensor) : tensor;
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  const StatusOr<std::string> header =
      MakeNpyHeader(tensor.dtype(), tensor.shape());
  if (!header.ok()) return Annotate(header.status(), path + ": ");
  const std::string_view parts[] = {
      *header, {reinterpret_cast<const char*>(tensor.raw()), tensor.bytes()}};
  return WriteFileAtomically(path, parts, ErrorKind::kData);
}

}  // namespace gyre

// Tensors in a file, in the safetensors format.
//
//   Safetensors file;
//   file.tensors["w"] = Tensor::Of<float>({2}, {1, 2});
//   file.metadata["step"] = "100";
//   GYRE_RETURN_IF_ERROR(WriteSafetensors("state.safetensors", file));
//   GYRE_ASSIGN_OR_RETURN(file, ReadSafetensors("state.safetensors"));
//
// On disk: the header's length as a little-endian u64; the header, a JSON
// object {"name": {"dtype", "shape", "data_offsets"}, "__metadata__": {...}},
// padded with spaces so that the data starts at a multiple of 8; the data,
// without holes. We order it by element size, large first, then by name: so
// each tensor is aligned for its type, and equal tensors give equal bytes.
//
// The reader believes nothing: it checks every number of the header against
// the file before it touches the data.

#ifndef GYRE_CORE_IO_SAFETENSORS_H_
#define GYRE_CORE_IO_SAFETENSORS_H_

#include <map>
#include <string>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline core {

struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Written beside and renamed (core/io/file.h). A tensor may not be called
// "__metadata__"; names and metadata must be UTF-8.
Status WriteSafetensors(const std::string& path,
                        const Safetensors& file,
                        ErrorKind kind = ErrorKind::kCheckpoint);

StatusOr<Safetensors> ReadSafetensors(const std::string& path,
                                      ErrorKind kind = ErrorKind::kCheckpoint);

// The same in memory; `what` names the bytes in errors.
StatusOr<std::string> SerializeSafetensors(
    const Safetensors& file, ErrorKind kind = ErrorKind::kCheckpoint);
StatusOr<Safetensors> ParseSafetensors(std::string_view bytes,
                                       const std::string& what,
                                       ErrorKind kind = ErrorKind::kCheckpoint);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_SAFETENSORS_H_

// The header of a .npy file: a Python dictionary, read without believing it.
//
// xtensor's own xt::load_npy allocates whatever the header says, knows one
// element type at a time and the machine's byte order alone.

#ifndef GYRE_DATA_ARRAY_NPY_HEADER_H_
#define GYRE_DATA_ARRAY_NPY_HEADER_H_

#include <string>
#include <string_view>

#include "gyre/core/dtype.h"
#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline data {

struct NpyHeader {
  DType dtype = DType::kF32;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
  std::size_t data_begin = 0;  // bytes from the start of the file
};

// Of the bytes of a whole file, whose length is held against the shape.
StatusOr<NpyHeader> ParseNpyHeader(std::string_view file);

// For C order and little-endian; an error for bf16.
StatusOr<std::string> MakeNpyHeader(DType dtype, const Shape& shape);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ARRAY_NPY_HEADER_H_

// NumPy's .npy files, in and out.
//
//   GYRE_ASSIGN_OR_RETURN(const Tensor x, ReadNpy("points.npy"));
//   GYRE_RETURN_IF_ERROR(WriteNpy("residuals.npy", x));
//
// Both byte orders and both layouts (C and Fortran) are read; a tensor is in C
// order. Types: f2, f4, f8, i4, i8, u1 and b1; others are an error that says
// what to write in NumPy. bf16 has no name in .npy: it is an error, too.
//
// Every error is a data error that names the file. A header that promises more
// than the file holds, or less, is refused.

#ifndef GYRE_DATA_ARRAY_NPY_H_
#define GYRE_DATA_ARRAY_NPY_H_

#include <string>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre {

StatusOr<Tensor> ReadNpy(const std::string& path);

// Whole or not at all (core/io/file.h).
Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace gyre

#endif  // GYRE_DATA_ARRAY_NPY_H_

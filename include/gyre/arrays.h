// Arrays: tensors as xtensor expressions, and NumPy's files.
//
//   const Tensor t = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
//   const auto x = view<float, 2>(t);
//   const Tensor anomaly = ToTensor(x - xt::mean(x)());
//
// docs/arrays.md is for people who come from NumPy. Link gyre::data.
//
// WARNING 1: gyre.h does not bring this header: xtensor takes seconds to
// compile, and most sources need none of it.

#ifndef GYRE_ARRAYS_H_
#define GYRE_ARRAYS_H_

#include "gyre/data/array/npy.h"
#include "gyre/data/array/xtensor.h"

#endif  // GYRE_ARRAYS_H_

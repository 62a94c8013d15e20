// For stages that need a whole tensor at once: the norm of an update, sums of
// rows and columns.
//
//   struct UnitLength {                       // a stage of your own
//     static constexpr int kStates = 0;
//     struct Scalars {};
//     Scalars Prepare(std::int64_t) const { return {}; }
//     template <class T>                      // float, or double in a test
//     void Transform(const TensorArgs<T>& t, const Scalars&,
//                    const TensorTraits&) const {
//       const double norm = std::sqrt(SumOfSquares(t.u, t.size));
//       if (norm > 0) ScaleAll(t, 1 / norm);
//     }
//   };
//
// Where the tensor is too large for the caches such a stage costs two more
// passes over it than a pointwise one; optim/staged_pass.h runs them.
//
// It may say `Shape StateShape(int k, const TensorSlot&) const` for a state
// that is not of the tensor's shape, with at least one element.
//
// WARNING 1: sum in double and in one fixed order, as here: ranks must agree
// to the bit.
// WARNING 2: a NaN must stay in the update or in a state; both are looked at
// after the last stage.

#ifndef GYRE_OPTIM_TENSOR_STAGE_H_
#define GYRE_OPTIM_TENSOR_STAGE_H_

#include <cmath>
#include <cstdint>

#include "gyre/optim/norm.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

inline double SumOfSquares(const float* x, std::int64_t n) {
  return SumSquares(x, static_cast<std::size_t>(n));
}
inline double SumOfSquares(const double* x, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

// The root of the mean square.
template <class T>
double RootMeanSquare(const T* x, std::int64_t n) {
  return n == 0 ? 0 : std::sqrt(SumOfSquares(x, n) / static_cast<double>(n));
}

// u = factor * u
template <class T>
void ScaleAll(const TensorArgs<T>& t, double factor) {
  for (std::int64_t i = 0; i < t.size; ++i) {
    t.u[i] = static_cast<T>(t.u[i] * factor);
  }
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_TENSOR_STAGE_H_

// Products with the matrix of second derivatives.
//
//   const auto loss = [&](std::span<const Var> w) { return Loss(w, batch); };
//   std::vector<Var> hv = hvp(loss, weights, direction);
//
// H v by reverse over reverse: the gradient of <gradient, v>. The matrix is
// never formed; the cost is a small multiple of the gradient's.

#ifndef GYRE_AUTODIFF_HVP_H_
#define GYRE_AUTODIFF_HVP_H_

#include <functional>
#include <span>
#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

// sum_j d2 f / dx[i] dx[j] . v[j], one for each x, of its shape; f gives a
// float scalar. Where f has no second derivative by x[i] the result is zeros.
// Errors: f's result is not a scalar; v's shapes or types are not those of x.
std::vector<Var> hvp(const std::function<Var(std::span<const Var>)>& f,
                     std::span<const Var> x,
                     std::span<const Var> v,
                     const char* file = __builtin_FILE(),
                     int line = __builtin_LINE());

}  // namespace gyre

#endif  // GYRE_AUTODIFF_HVP_H_

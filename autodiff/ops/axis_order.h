// Bringing the axes that an operation works on to the end, and back.

#ifndef GYRE_AUTODIFF_OPS_AXIS_ORDER_H_
#define GYRE_AUTODIFF_OPS_AXIS_ORDER_H_

#include <vector>

#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/core/shape.h"

namespace gyre::internal::inline autodiff {

// A permutation of a tensor's axes and its inverse.
struct AxisOrder {
  std::vector<int> forward;
  std::vector<int> inverse;
};

// The order that moves `axes` (normalised, sorted) behind the others.
inline AxisOrder MoveToEnd(int rank, const std::vector<int>& axes) {
  std::vector<char> moves(rank, 0);
  for (const int axis : axes) moves[axis] = 1;
  AxisOrder order;
  for (int i = 0; i < rank; ++i) {
    if (!moves[i]) order.forward.push_back(i);
  }
  order.forward.insert(order.forward.end(), axes.begin(), axes.end());
  order.inverse.resize(rank);
  for (int i = 0; i < rank; ++i) order.inverse[order.forward[i]] = i;
  return order;
}

// x with its axes in `order`; x itself where that changes nothing.
inline Var Permuted(Traced x, const std::vector<int>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int>(i)) return transpose(x, order);
  }
  return x.var();
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_AXIS_ORDER_H_

// Values and the mesh: where a number differs from rank to rank.
//
// A Var varies over the axes along which ranks hold different numbers. A
// batch varies over "data"; a parameter does not. Using one with the other
// inserts `vary` on the parameter, and the transpose of `vary` is `psum`: so
// the sum of gradients over ranks appears by itself, once.

#ifndef GYRE_AUTODIFF_OPS_COLLECTIVE_H_
#define GYRE_AUTODIFF_OPS_COLLECTIVE_H_

#include "gyre/autodiff/var.h"

namespace gyre {

// The sum over the ranks along all axes over which x varies; the result
// varies over none. A value that does not vary is returned as it is.
// Gradient: every rank's contribution gets the sum's gradient.
Var psum(Traced x);
// The mean over the same ranks.
Var pmean(Traced x);

// x as a number that varies at least where `like` does.
Var vary_like(Traced x, const Var& like);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_COLLECTIVE_H_

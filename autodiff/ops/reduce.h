// Reductions over axes, and over the ranks that share a tensor.
//
//   Var loss = mean(error);            // over every element on every rank
//   Var rows = sum(x, {-1});           // over the last axis, on this rank
//
// Without axes a reduction is global: it runs over all elements and over all
// ranks on which x differs, so that a loss means the same in any layout. With
// axes it is local to the rank.
//
// Sums of f32 are accumulated in f64 between blocks, in an order that depends
// on the shape alone. An empty sum is 0, an empty product 1, an empty max -Inf,
// an empty min +Inf, an empty mean NaN (0/0), an empty masked mean 0.
//
// Gradients. max and min: elements that tie for the extreme share it equally;
// where the extreme is NaN it goes nowhere. prod: the product of the other
// elements, without a division, so that zeros are no special case.
//
// Errors: an axis out of range or named twice; numbers that are not floats.
// Others of this kind: logsumexp, var (statistics.h), any, all
// (logical_reduce.h), argmax (arg_reduce.h), masked_max (masked.h).
//
// WARNING 1: a mean of means is not the mean when ranks hold different counts;
// masked_mean divides one global numerator by one global denominator.

#ifndef GYRE_AUTODIFF_OPS_REDUCE_H_
#define GYRE_AUTODIFF_OPS_REDUCE_H_

#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

Var sum(Traced x);
Var mean(Traced x);

Var sum(Traced x, std::vector<int> axes, bool keep_dims = false);
Var mean(Traced x, std::vector<int> axes, bool keep_dims = false);
Var prod(Traced x, std::vector<int> axes, bool keep_dims = false);
Var max(Traced x, std::vector<int> axes, bool keep_dims = false);
Var min(Traced x, std::vector<int> axes, bool keep_dims = false);

// sum(weight * x) / sum(weight) over all elements and ranks, where x counts
// only where weight is not 0: a NaN under a weight of 0 reaches neither the
// value nor the gradient. The weight broadcasts to x. Where all weights are 0
// the mean is 0.
Var masked_mean(Traced x, Traced weight);
// sum(x) over all elements and ranks where mask is not 0, by selection.
Var masked_sum(Traced x, Traced mask);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_REDUCE_H_

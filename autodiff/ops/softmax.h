// Softmax, its logarithm, and the cross-entropy made from it.
//
//   softmax(x)_i     = exp(x_i - max x) / sum_j exp(x_j - max x)
//   log_softmax(x)_i = x_i - max x - log sum_j exp(x_j - max x)
//
//   Var p = softmax(scores);                       // over the last axis
//   Var loss = mean(cross_entropy(logits, labels));
//
// Any finite x is safe, however large. x_i = -Inf has probability exactly 0.
// A row of -Inf alone has no distribution: softmax gives zeros there,
// log_softmax -Inf, and both have gradient 0. +Inf or NaN makes its row NaN:
// an overflow upstream must stay visible. An empty axis gives an empty result.
//
// bf16 and f16 are computed in f32 and rounded once. The last axis is the fast
// one; another axis costs a transposed copy each way.
//
// Errors: x is no float; the axis is out of range.

#ifndef GYRE_AUTODIFF_OPS_SOFTMAX_H_
#define GYRE_AUTODIFF_OPS_SOFTMAX_H_

#include "gyre/autodiff/var.h"

namespace gyre {

Var softmax(Traced x, int axis = -1);
Var log_softmax(Traced x, int axis = -1);

// -sum_c target_c * log_softmax(logits)_c over the last axis, where target_c
// counts only where it is not 0.
//   logits: (..., classes)
//   target: (..., classes) probabilities, or (...) integer labels
//   -> (...)
// A label outside [0, classes), such as -100, is padding: it gives 0, and
// mean() of the result, over all of it, is the mean over the others.
Var cross_entropy(Traced logits, Traced target);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_SOFTMAX_H_

// Normalisation: layer, RMS and group norm, fused with gain and bias.
//
//   y = (x - mean) / sqrt(var + eps) * gain + bias       layer_norm, group_norm
//   y = x / sqrt(mean(x^2) + eps) * gain                 rms_norm
//
//   Var h = layer_norm(x, {.gain = g, .bias = b});       // over the last axis
//   Var c = group_norm(x, 8, {.gain = g, .bias = b});    // (batch, c, h, w)
//
// Mean and variance (the biased one) are taken in two passes, in f32 within
// blocks of 512 numbers and f64 between them; bf16 and f16 are computed in f32
// and rounded once. Trailing axes are the fast layout; others cost a
// transposed copy each way.
//
// Sources: Ba et al., "Layer normalization", 2016; Zhang and Sennrich, "Root
// mean square layer normalization", 2019; Wu and He, "Group normalization",
// 2018.
//
// Errors: x is no float; an axis is out of range or named twice; the channels
// do not divide into groups; gain or bias of another shape or type; eps < 0.
// Over no elements (an empty axis) the result is empty.

#ifndef GYRE_AUTODIFF_OPS_NORM_LAYERS_H_
#define GYRE_AUTODIFF_OPS_NORM_LAYERS_H_

#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre {

struct NormOptions {
  // The axes over which mean and variance are taken.
  std::vector<int> axes = {-1};
  double eps = 1e-5;
  // Of the shape of those axes; left out: 1 and 0.
  Var gain = {};
  Var bias = {};
};

Var layer_norm(Traced x, const NormOptions& options = {});
Var rms_norm(Traced x, const NormOptions& options = {});

struct GroupNormOptions {
  double eps = 1e-5;
  Var gain = {};  // (channels)
  Var bias = {};
};

// x: (batch, channels, ...): each group of channels / groups neighbouring
// channels of a sample is normalised over its channels and all later axes.
Var group_norm(Traced x, int groups, const GroupNormOptions& options = {});

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_NORM_LAYERS_H_

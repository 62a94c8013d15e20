// Models: parameters that are declared where they are used, and layers.
//
//   auto model = [](Params& params, const BatchVars& batch) {
//     const Var h = relu(linear(params, "up", batch["x"], 64));
//     return linear(params, "down", h, 1);
//   };
//
// The model is called once, when the step is compiled; asking for a parameter
// declares it. Its first value depends on the seed and its name alone: the same
// on every rank.
//
// WARNING 1: a model sees shapes, not numbers: what it reads from the example
// batch becomes a constant of the program.

#ifndef GYRE_LAYERS_H_
#define GYRE_LAYERS_H_

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/conv_transpose.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/ops/pool.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/resize.h"
#include "gyre/models/activation.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/batch_vars.h"
#include "gyre/models/layers.h"
#include "gyre/models/mlp.h"
#include "gyre/models/params.h"
#include "gyre/models/residual.h"
#include "gyre/models/transformer.h"

#endif  // GYRE_LAYERS_H_

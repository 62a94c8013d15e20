// Layers whose weights are cut over a mesh axis: each rank of the axis holds
// and multiplies its part.
//
//   Var h = gelu(column_linear(params, "up", x, 1024, "model"));
//   Var y = row_linear(params, "down", h, 256, "model");
//
// (Shoeybi et al., "Megatron-LM", 2019.) A column layer takes what all ranks
// of the axis have alike and gives each its own features; a row layer takes
// these and gives all the same sum. Parameters have the names and, cut, the
// first values of the plain layers (models/layers.h), so a checkpoint fits
// both, and on an axis of one rank they are the same layers.
//
// What the ranks say to each other on the way back follows from the types:
// nothing is to be written for it.
//
// A sequence-parallel block also cuts the sequence between these layers, where
// every position is on its own: activations there take 1/n of the memory, and
// norms are computed once. (Korthikanti et al., "Reducing activation
// recomputation in large transformer models", 2022.)
//
// Errors, with the layer's name: no such axis, features or heads or a sequence
// that the ranks do not divide.

#ifndef GYRE_MODELS_TENSOR_PARALLEL_H_
#define GYRE_MODELS_TENSOR_PARALLEL_H_

#include <cstdint>
#include <string>

#include "gyre/autodiff/var.h"
#include "gyre/models/layers.h"
#include "gyre/models/transformer.h"

namespace gyre {

// x: (..., in), the same on the axis -> (..., out / n), this rank's features.
// `name`.w (in, out) and `name`.b (out) are cut along `out`.
Var column_linear(Params& params,
                  const std::string& name,
                  Traced x,
                  std::int64_t out,
                  const std::string& axis,
                  const LinearOptions& options = {});

// x: (..., in / n), this rank's features -> (..., out), the same on the axis.
// `name`.w (in, out) is cut along `in`; every rank holds `name`.b (out).
Var row_linear(Params& params,
               const std::string& name,
               Traced x,
               std::int64_t out,
               const std::string& axis,
               const LinearOptions& options = {});

struct ParallelBlockOptions {
  std::string axis = "model";
  std::int64_t heads = 1;
  std::int64_t expansion = 4;  // of the perceptron's hidden layer
  Activation activation = Activation::kGelu;
  bool causal = false;
  // x and the result are this rank's part of the sequence.
  bool sequence_parallel = false;
};

// transformer_block (models/transformer.h) with heads and hidden features cut
// over the axis. x: (batch, seq, width) or, sequence-parallel,
// (batch, seq / n, width) -> the same shape.
Var parallel_transformer_block(Params& params,
                               const std::string& name,
                               Traced x,
                               const ParallelBlockOptions& options);

}  // namespace gyre

#endif  // GYRE_MODELS_TENSOR_PARALLEL_H_

// Attention layers.
//
//   Var h = transformer_block(params, "block0", x, {.heads = 8});
//
// Pre-norm: each branch normalises its input and adds its result to it, which
// trains without a warm-up of the depth (Xiong et al., "On layer normalization
// in the transformer architecture", 2020).

#ifndef GYRE_MODELS_TRANSFORMER_H_
#define GYRE_MODELS_TRANSFORMER_H_

#include <cstdint>
#include <string>

#include "gyre/autodiff/var.h"
#include "gyre/models/activation.h"
#include "gyre/models/params.h"

namespace gyre {

struct AttentionLayerOptions {
  std::int64_t heads = 1;
  bool causal = false;
  bool qk_norm = false;
  // What keys and values are made of; left out: x itself.
  Var memory = {};  // (batch, sk, ...)
  Var mask = {};    // bool, broadcasts to (batch, heads, seq, sk)
  Var bias = {};    // broadcasts to the same
};

// x: (batch, seq, width) -> (batch, seq, width), with the linear layers
// `name`.q, .k, .v and .out.
Var multi_head_attention(Params& params,
                         const std::string& name,
                         Traced x,
                         const AttentionLayerOptions& options = {});

struct TransformerBlockOptions {
  std::int64_t heads = 1;
  std::int64_t expansion = 4;  // of the perceptron's hidden layer
  Activation activation = Activation::kGelu;
  bool causal = false;
  bool qk_norm = false;
  Var mask = {};
  Var bias = {};
};

// x + attention(norm(x)), then x + mlp(norm(x)); x: (batch, seq, width).
Var transformer_block(Params& params,
                      const std::string& name,
                      Traced x,
                      const TransformerBlockOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_TRANSFORMER_H_

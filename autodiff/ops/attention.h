// Scaled dot-product attention whose memory does not grow with the square of
// the sequence.
//
//   scores = scale * q k^T + bias, -Inf where the mask is false
//   y = softmax(scores) v
//
//   Var y = attention(q, k, v, {.causal = true});   // (batch, heads, seq, d)
//
//   q: (batch, heads, sq, d), k: (batch, heads, sk, d),
//   v: (batch, heads, sk, e)  ->  (batch, heads, sq, e)
//   mask (bool; true: may attend) and bias (of q's type) broadcast to
//   (batch, heads, sq, sk).
//
// The scores exist a tile at a time, with a running maximum and sum; only the
// logarithm of each row's sum is kept, and the gradient recomputes the tiles.
// A row that may attend to nothing gives 0 and gradient 0. f32 through oneDNN
// on tiles; bf16 and f16 computed in f32 and rounded once; f64 and the
// reference kernels row by row in double.
//
// Sources: Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018; Dao, "FlashAttention-2", 2023. QK norm: Henry et al.,
// "Query-key normalization for transformers", 2020, with RMS norm.
//
// WARNING 1: a mask hides scores by selection, but v is still multiplied by
// a probability of 0: clear NaN out of masked rows of v with select().
// WARNING 2: `causal` lines up the ends: query i sees keys up to
// i + sk - sq.
//
// Errors: shapes or types that do not fit, each named.

#ifndef GYRE_AUTODIFF_OPS_ATTENTION_H_
#define GYRE_AUTODIFF_OPS_ATTENTION_H_

#include <optional>

#include "gyre/autodiff/var.h"

namespace gyre {

struct AttentionOptions {
  Var mask = {};
  Var bias = {};
  bool causal = false;
  std::optional<double> scale = {};  // default 1 / sqrt(d)
  // RMS-normalise each query and key over d before the product.
  bool qk_norm = false;
  double qk_norm_eps = 1e-6;
};

Var attention(Traced q,
              Traced k,
              Traced v,
              const AttentionOptions& options = {});

// The same by elementary operations, scores and all: what the fused one is
// tested against, and differentiated twice by. `mask` and `bias` may be left
// out.
Var composed_attention(
    Var q, Var k, Var v, Var mask, Var bias, bool causal, double scale);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_ATTENTION_H_

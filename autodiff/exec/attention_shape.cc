#include "gyre/autodiff/exec/attention_shape.h"

#include <algorithm>

#include "gyre/core/number.h"

namespace gyre::internal::inline autodiff {
namespace {

StatusOr<ScoreStrides> StridesOf(const Shape& shape,
                                 const Shape& scores,
                                 const char* what) {
  const auto both = BroadcastShapes(shape, scores);
  if (!both.ok() || *both != scores) {
    return ConfigError("expected a ",
                       what,
                       " that broadcasts to the scores ",
                       scores,
                       ", got ",
                       shape);
  }
  const std::vector<std::int64_t> dense = RowMajorStrides(shape);
  std::int64_t strides[4] = {0, 0, 0, 0};
  const int shift = 4 - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] != 1) strides[i + shift] = dense[i];
  }
  return ScoreStrides{strides[0], strides[1], strides[2], strides[3]};
}

}  // namespace

std::string AttentionOptionsKey::ToString() const {
  return Cat("scale=",
             Number(scale),
             " causal=",
             causal,
             " mask=",
             has_mask,
             " bias=",
             has_bias);
}

StatusOr<AttentionShape> AttentionShape::Make(
    const std::vector<KernelTensor>& inputs, const AttentionOptionsKey& key) {
  const Shape& q = inputs[0].shape;
  const Shape& k = inputs[1].shape;
  const Shape& v = inputs[2].shape;
  const bool ranks = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  if (!ranks || q[0] != k[0] || q[0] != v[0] || q[1] != k[1] || q[1] != v[1] ||
      q[3] != k[3] || k[2] != v[2]) {
    return ConfigError(
        "expected q (batch, heads, sq, d), k (batch, heads, "
        "sk, d) and v (batch, heads, sk, e), got ",
        q,
        ", ",
        k,
        " and ",
        v);
  }
  const DType dtype = inputs[0].dtype;
  if (!IsFloat(dtype) || inputs[1].dtype != dtype || inputs[2].dtype != dtype) {
    return ConfigError("expected q, k and v of one float type, got ",
                       dtype,
                       ", ",
                       inputs[1].dtype,
                       " and ",
                       inputs[2].dtype,
                       "; use cast()");
  }
  AttentionShape s{q[0], q[1], q[2], k[2], q[3], v[3], key, {}, {}, 0};
  const Shape scores = {s.batch, s.heads, s.queries, s.keys};
  std::size_t next = 3;
  if (key.has_mask) {
    const KernelTensor& mask = inputs[next++];
    if (mask.dtype != DType::kBool) {
      return ConfigError(
          "expected a mask of bool, got ", mask.dtype, "; compare it with 0");
    }
    GYRE_ASSIGN_OR_RETURN(s.mask, StridesOf(mask.shape, scores, "mask"));
  }
  if (key.has_bias) {
    const KernelTensor& bias = inputs[next];
    if (bias.dtype != dtype) {
      return ConfigError("expected a bias of q's type ",
                         dtype,
                         ", got ",
                         bias.dtype,
                         "; use cast()");
    }
    GYRE_ASSIGN_OR_RETURN(s.bias, StridesOf(bias.shape, scores, "bias"));
    s.bias_elements = bias.shape.elements();
  }
  return s;
}

std::int64_t AttentionShape::Limit(std::int64_t query) const {
  if (!key.causal) return keys;
  return std::clamp<std::int64_t>(query + 1 + keys - queries, 0, keys);
}

}  // namespace gyre::internal::inline autodiff

// The sizes of one attention, shared by its operations and kernels.

#ifndef GYRE_AUTODIFF_EXEC_ATTENTION_SHAPE_H_
#define GYRE_AUTODIFF_EXEC_ATTENTION_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// What tells one attention from another, beside its shapes.
struct AttentionOptionsKey {
  double scale = 1;
  bool causal = false;
  bool has_mask = false;
  bool has_bias = false;

  std::string ToString() const;
};

// Strides over (batch, heads, query, key); 0 along a broadcast axis.
struct ScoreStrides {
  std::int64_t batch = 0, head = 0, query = 0, key = 0;
};

struct AttentionShape {
  std::int64_t batch = 0, heads = 0;
  std::int64_t queries = 0, keys = 0;
  std::int64_t d = 0;  // of q and k
  std::int64_t e = 0;  // of v
  AttentionOptionsKey key;
  ScoreStrides mask, bias;
  std::int64_t bias_elements = 0;

  // From q, k, v [, mask] [, bias]. Errors: what does not fit.
  static StatusOr<AttentionShape> Make(const std::vector<KernelTensor>& inputs,
                                       const AttentionOptionsKey& key);

  // The keys that query i may see, when all is causal: [0, limit).
  std::int64_t Limit(std::int64_t query) const;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_ATTENTION_SHAPE_H_

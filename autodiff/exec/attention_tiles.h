// The scores of attention, a tile at a time: what the forward and the
// backward kernel share.

#ifndef GYRE_AUTODIFF_EXEC_ATTENTION_TILES_H_
#define GYRE_AUTODIFF_EXEC_ATTENTION_TILES_H_

#include <cstdint>

#include "gyre/autodiff/exec/attention_shape.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

// Tiles of 64 x 256 floats: with the rows of q, k and v beside them they stay
// in the second-level cache. Faster than 64 x 128 by a fourteenth (heads of 32
// numbers, 256 tokens); 128 x 256 gains one part in a hundred more, for twice
// the memory.
inline constexpr std::int64_t kQueryTile = 64;
inline constexpr std::int64_t kKeyTile = 256;
inline constexpr std::int64_t kTileFloats = kQueryTile * kKeyTile;

// The tile of queries [query, query + rows) and keys [key, key + columns) of
// one head.
struct AttentionTile {
  std::int64_t batch, head;
  std::int64_t query, rows;
  std::int64_t key, columns;
};

// f(begin, count) over [0, n) in steps of at most `step`.
template <class F>
Status ForEachTile(std::int64_t n, std::int64_t step, const F& f) {
  for (std::int64_t begin = 0; begin < n; begin += step) {
    const std::int64_t rest = n - begin;
    GYRE_RETURN_IF_ERROR(f(begin, rest < step ? rest : step));
  }
  return OkStatus();
}

// The operands that scores are made from.
class AttentionScores {
 public:
  // The mask (if there is one) is operand `mask_at`, the bias the next.
  AttentionScores(const AttentionShape& shape,
                  const KernelArgs& args,
                  int mask_at);

  // scores (rows, columns) at a row stride of kKeyTile; -Inf where hidden.
  Status Compute(const AttentionTile& tile, float* scores) const;

  // Whether any query of the tile sees any of its keys, causality asked only.
  bool Touches(const AttentionTile& tile) const {
    return tile.key < s_.Limit(tile.query + tile.rows - 1);
  }

  // Adds ds (rows, kKeyTile) to a gradient of the bias's shape.
  void AddToBias(const AttentionTile& tile,
                 const float* ds,
                 float* dbias) const;

 private:
  void Adjust(const AttentionTile& tile, std::int64_t row, float* scores) const;

  const AttentionShape& s_;
  const float* q_;
  const float* k_;
  const bool* mask_;
  const float* bias_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_ATTENTION_TILES_H_

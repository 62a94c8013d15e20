#include "gyre/autodiff/exec/attention_tiles.h"

#include <algorithm>
#include <limits>

#include "gyre/autodiff/exec/gemm_tile.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/row_loops.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::int64_t OffsetOf(const ScoreStrides& strides,
                      const AttentionTile& tile,
                      std::int64_t row) {
  return tile.batch * strides.batch + tile.head * strides.head +
         (tile.query + row) * strides.query + tile.key * strides.key;
}

}  // namespace

AttentionScores::AttentionScores(const AttentionShape& shape,
                                 const KernelArgs& args,
                                 int mask_at)
    : s_(shape),
      q_(args.input<float>(0)),
      k_(args.input<float>(1)),
      mask_(shape.key.has_mask ? args.input<bool>(mask_at) : nullptr),
      bias_(shape.key.has_bias
                ? args.input<float>(mask_at + (shape.key.has_mask ? 1 : 0))
                : nullptr) {}

Status AttentionScores::Compute(const AttentionTile& tile,
                                float* scores) const {
  const std::int64_t block = tile.batch * s_.heads + tile.head;
  const float* q = q_ + (block * s_.queries + tile.query) * s_.d;
  const float* k = k_ + (block * s_.keys + tile.key) * s_.d;
  GYRE_RETURN_IF_ERROR(GemmTile(tile.rows,
                                tile.columns,
                                s_.d,
                                static_cast<float>(s_.key.scale),
                                {q, s_.d},
                                {k, s_.d, true},
                                0.0f,
                                scores,
                                kKeyTile));
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    Adjust(tile, r, scores + r * kKeyTile);
  }
  return OkStatus();
}

void AttentionScores::Adjust(const AttentionTile& tile,
                             std::int64_t row,
                             float* scores) const {
  if (bias_ != nullptr) {
    const float* bias = bias_ + OffsetOf(s_.bias, tile, row);
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      scores[j] += bias[j * s_.bias.key];
    }
  }
  if (mask_ != nullptr) {
    const bool* mask = mask_ + OffsetOf(s_.mask, tile, row);
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      scores[j] = mask[j * s_.mask.key] ? scores[j] : kMasked;
    }
  }
  if (s_.key.causal) {
    const std::int64_t seen = std::clamp<std::int64_t>(
        s_.Limit(tile.query + row) - tile.key, 0, tile.columns);
    std::fill(scores + seen, scores + tile.columns, kMasked);
  }
}

void AttentionScores::AddToBias(const AttentionTile& tile,
                                const float* ds,
                                float* dbias) const {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const float* row = ds + r * kKeyTile;
    float* to = dbias + OffsetOf(s_.bias, tile, r);
    if (s_.bias.key == 0) {
      *to += static_cast<float>(
          rows::Sum(tile.columns, [&](std::int64_t i, std::int64_t live) {
            return rows::LoadLive(row + i, live, 0.0f);
          }));
      continue;
    }
    for (std::int64_t j = 0; j < tile.columns; ++j) to[j] += row[j];
  }
}

}  // namespace gyre::internal::inline autodiff

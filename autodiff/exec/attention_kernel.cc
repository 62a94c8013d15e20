#include "gyre/autodiff/exec/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/autodiff/exec/attention_tiles.h"
#include "gyre/autodiff/exec/gemm_tile.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/row_loops.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr float kNoScore = -std::numeric_limits<float>::infinity();

// For each tile of queries, over the tiles of keys, with a running maximum m
// and sum l of each row:
//   y = y * exp(m_old - m) + exp(scores - m) v,  and y / l at the end.
class TiledAttention final : public Kernel {
 public:
  explicit TiledAttention(const AttentionShape& shape) : s_(shape) {}

  std::size_t scratch_bytes() const override {
    return kTileFloats * sizeof(float) + kQueryTile * sizeof(RunningRow);
  }

  Status Run(const KernelArgs& args) override {
    const AttentionScores scores(s_, args, 3);
    for (std::int64_t b = 0; b < s_.batch; ++b) {
      for (std::int64_t h = 0; h < s_.heads; ++h) {
        GYRE_RETURN_IF_ERROR(ForEachTile(
            s_.queries, kQueryTile, [&](std::int64_t query, std::int64_t rows) {
              return Queries(args, scores, {b, h, query, rows, 0, 0});
            }));
      }
    }
    return OkStatus();
  }

 private:
  struct RunningRow {
    double sum;
    float top;
  };

  Status Queries(const KernelArgs& args,
                 const AttentionScores& scores,
                 AttentionTile tile) const {
    auto* p = reinterpret_cast<float*>(args.scratch);
    auto* state = reinterpret_cast<RunningRow*>(p + kTileFloats);
    std::fill_n(state, tile.rows, RunningRow{0, kNoScore});
    const std::int64_t block = tile.batch * s_.heads + tile.head;
    const std::int64_t first = block * s_.queries + tile.query;
    float* y = args.output<float>(0) + first * s_.e;
    std::fill_n(y, tile.rows * s_.e, 0.0f);
    GYRE_RETURN_IF_ERROR(ForEachTile(
        s_.keys, kKeyTile, [&](std::int64_t key, std::int64_t columns) {
          tile.key = key;
          tile.columns = columns;
          if (!scores.Touches(tile)) return OkStatus();
          const Status status = scores.Compute(tile, p);
          if (!status.ok()) return status;
          for (std::int64_t r = 0; r < tile.rows; ++r) {
            Advance(p + r * kKeyTile, columns, state[r], y + r * s_.e);
          }
          const float* v =
              args.input<float>(2) + (block * s_.keys + key) * s_.e;
          return GemmTile(tile.rows,
                          s_.e,
                          columns,
                          1.0f,
                          {p, kKeyTile},
                          {v, s_.e},
                          1.0f,
                          y,
                          s_.e);
        }));
    float* log_sums =
        args.out[1] == nullptr ? nullptr : args.output<float>(1) + first;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      Finish(
          state[r], y + r * s_.e, log_sums == nullptr ? nullptr : log_sums + r);
    }
    return OkStatus();
  }

  // Scores become weights relative to the new maximum; y follows it.
  void Advance(float* p, std::int64_t n, RunningRow& row, float* y) const {
    const float top = std::max(row.top, rows::Max(p, n));
    // Nothing seen so far: any shift makes all weights 0.
    const float shift = top == kNoScore ? 0.0f : top;
    const float shrink = math::exp(row.top - shift);
    row.sum =
        row.sum * static_cast<double>(shrink) + rows::ExpAndSum(p, p, n, shift);
    row.top = top;
    if (shrink == 1.0f) return;
    rows::Map(y, y, s_.e, [&](FloatBatch v) { return v * FloatBatch(shrink); });
  }

  void Finish(const RunningRow& row, float* y, float* log_sum) const {
    if (row.sum == 0) {
      std::fill_n(y, s_.e, 0.0f);
      if (log_sum != nullptr) *log_sum = kNoScore;
      return;
    }
    const FloatBatch scale(static_cast<float>(1 / row.sum));
    rows::Map(y, y, s_.e, [&](FloatBatch v) { return v * scale; });
    if (log_sum != nullptr) {
      *log_sum =
          static_cast<float>(static_cast<double>(row.top) + std::log(row.sum));
    }
  }

  AttentionShape s_;
};

}  // namespace

std::unique_ptr<Kernel> MakeTiledAttention(const AttentionShape& shape) {
  return std::make_unique<TiledAttention>(shape);
}

}  // namespace gyre::internal::inline autodiff

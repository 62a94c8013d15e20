#include <algorithm>
#include <limits>

#include "gyre/autodiff/exec/attention_kernel.h"
#include "gyre/autodiff/exec/attention_tiles.h"
#include "gyre/autodiff/exec/gemm_tile.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/row_loops.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// For each tile of keys, over the tiles of queries, with D = dy . y:
//   p = exp(scores - log_sum), ds = p (dy v^T - D),
//   dv += p^T dy, dk += scale ds^T q, dq += scale ds k, dbias += ds.
class TiledAttentionGrad final : public Kernel {
 public:
  explicit TiledAttentionGrad(const AttentionShape& shape) : s_(shape) {}

  std::size_t scratch_bytes() const override {
    return (2 * kTileFloats + s_.queries) * sizeof(float);
  }

  Status Run(const KernelArgs& args) override {
    const AttentionScores scores(s_, args, 6);
    if (s_.key.has_bias && args.out[3] != nullptr) {
      std::fill_n(args.output<float>(3), s_.bias_elements, 0.0f);
    }
    for (std::int64_t b = 0; b < s_.batch; ++b) {
      for (std::int64_t h = 0; h < s_.heads; ++h) {
        GYRE_RETURN_IF_ERROR(Head(args, scores, b, h));
      }
    }
    return OkStatus();
  }

 private:
  // Where one head's operands begin. dq, dk, dv and dbias may be null.
  struct HeadMemory {
    const float *q, *k, *v, *y, *log_sum, *dy;
    float *dq, *dk, *dv, *dbias;
    float *p, *ds, *along;
  };

  HeadMemory Bind(const KernelArgs& args, std::int64_t block) const {
    const auto in = [&](int i, std::int64_t size) {
      return args.input<float>(i) + block * size;
    };
    const auto out = [&](int i, std::int64_t size) -> float* {
      return args.out[i] == nullptr ? nullptr
                                    : args.output<float>(i) + block * size;
    };
    const std::int64_t qd = s_.queries * s_.d, qe = s_.queries * s_.e;
    const std::int64_t kd = s_.keys * s_.d, ke = s_.keys * s_.e;
    auto* scratch = reinterpret_cast<float*>(args.scratch);
    return {in(0, qd),
            in(1, kd),
            in(2, ke),
            in(3, qe),
            in(4, s_.queries),
            in(5, qe),
            out(0, qd),
            out(1, kd),
            out(2, ke),
            s_.key.has_bias ? out(3, 0) : nullptr,
            scratch,
            scratch + kTileFloats,
            scratch + 2 * kTileFloats};
  }

  Status Head(const KernelArgs& args,
              const AttentionScores& scores,
              std::int64_t batch,
              std::int64_t head) const {
    const HeadMemory at = Bind(args, batch * s_.heads + head);
    Clear(at.dq, s_.queries * s_.d);
    Clear(at.dk, s_.keys * s_.d);
    Clear(at.dv, s_.keys * s_.e);
    for (std::int64_t i = 0; i < s_.queries; ++i) {
      at.along[i] = static_cast<float>(
          rows::Sum(s_.e, [&](std::int64_t c, std::int64_t live) {
            return rows::LoadLive(at.y + i * s_.e + c, live, 0.0f) *
                   rows::LoadLive(at.dy + i * s_.e + c, live, 0.0f);
          }));
    }
    return ForEachTile(
        s_.keys, kKeyTile, [&](std::int64_t key, std::int64_t columns) {
          return ForEachTile(
              s_.queries,
              kQueryTile,
              [&](std::int64_t query, std::int64_t rows) {
                return Tile(
                    at, scores, {batch, head, query, rows, key, columns});
              });
        });
  }

  static void Clear(float* p, std::int64_t n) {
    if (p != nullptr) std::fill_n(p, n, 0.0f);
  }

  Status Tile(const HeadMemory& at,
              const AttentionScores& scores,
              const AttentionTile& t) const {
    if (!scores.Touches(t)) return OkStatus();
    const auto scale = static_cast<float>(s_.key.scale);
    const float* dy = at.dy + t.query * s_.e;
    GYRE_RETURN_IF_ERROR(scores.Compute(t, at.p));
    GYRE_RETURN_IF_ERROR(GemmTile(t.rows,
                                  t.columns,
                                  s_.e,
                                  1.0f,
                                  {dy, s_.e},
                                  {at.v + t.key * s_.e, s_.e, true},
                                  0.0f,
                                  at.ds,
                                  kKeyTile));
    for (std::int64_t r = 0; r < t.rows; ++r) Row(at, t, r);
    if (at.dbias != nullptr) scores.AddToBias(t, at.ds, at.dbias);
    if (at.dv != nullptr) {
      GYRE_RETURN_IF_ERROR(GemmTile(t.columns,
                                    s_.e,
                                    t.rows,
                                    1.0f,
                                    {at.p, kKeyTile, true},
                                    {dy, s_.e},
                                    1.0f,
                                    at.dv + t.key * s_.e,
                                    s_.e));
    }
    if (at.dk != nullptr) {
      GYRE_RETURN_IF_ERROR(GemmTile(t.columns,
                                    s_.d,
                                    t.rows,
                                    scale,
                                    {at.ds, kKeyTile, true},
                                    {at.q + t.query * s_.d, s_.d},
                                    1.0f,
                                    at.dk + t.key * s_.d,
                                    s_.d));
    }
    if (at.dq == nullptr) return OkStatus();
    return GemmTile(t.rows,
                    s_.d,
                    t.columns,
                    scale,
                    {at.ds, kKeyTile},
                    {at.k + t.key * s_.d, s_.d},
                    1.0f,
                    at.dq + t.query * s_.d,
                    s_.d);
  }

  // Scores become probabilities, and dy v^T becomes ds.
  void Row(const HeadMemory& at, const AttentionTile& t, std::int64_t r) const {
    const float log_sum = at.log_sum[t.query + r];
    // Of a row without probabilities nothing flows back.
    const FloatBatch shift(log_sum == -kInfinity ? kInfinity : log_sum);
    const FloatBatch along(at.along[t.query + r]);
    float* p = at.p + r * kKeyTile;
    float* ds = at.ds + r * kKeyTile;
    rows::ForEachVector(t.columns, [&](std::int64_t i, std::int64_t live) {
      const FloatBatch weight =
          math::exp(rows::LoadLive(p + i, live, -kInfinity) - shift);
      const FloatBatch dp = rows::LoadLive(ds + i, live, 0.0f);
      rows::StoreLive(p + i, live, weight);
      rows::StoreLive(ds + i, live, weight * (dp - along));
    });
  }

  AttentionShape s_;
};

}  // namespace

std::unique_ptr<Kernel> MakeTiledAttentionGrad(const AttentionShape& shape) {
  return std::make_unique<TiledAttentionGrad>(shape);
}

}  // namespace gyre::internal::inline autodiff

#include "gyre/autodiff/exec/reference_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr double kLowestScore = -std::numeric_limits<double>::infinity();

template <class T>
double Wide(T x) {
  return static_cast<double>(x);
}

template <class T>
double Dot(const T* a, const T* b, std::int64_t n) {
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += Wide(a[i]) * Wide(b[i]);
  return total;
}

// One query of one head, and the operands it needs.
template <class T>
struct Row {
  const AttentionShape& s;
  std::int64_t batch, head, query;
  const T* q;  // (d)
  const T* k;  // (keys, d)
  const T* v;  // (keys, e)
  const bool* mask;
  const T* bias;

  std::int64_t BiasAt(std::int64_t j) const {
    return batch * s.bias.batch + head * s.bias.head + query * s.bias.query +
           j * s.bias.key;
  }
  bool Sees(std::int64_t j) const {
    return j < s.Limit(query) &&
           (mask == nullptr || mask[batch * s.mask.batch + head * s.mask.head +
                                    query * s.mask.query + j * s.mask.key]);
  }
  double Score(std::int64_t j) const {
    if (!Sees(j)) return kLowestScore;
    const double score = s.key.scale * Dot(q, k + j * s.d, s.d);
    return bias == nullptr ? score : score + Wide(bias[BiasAt(j)]);
  }
};

// f(row, n) for each query, n counting them.
template <class T, class F>
void ForEachRow(const AttentionShape& s,
                const KernelArgs& args,
                int mask_at,
                const F& f) {
  const int bias_at = mask_at + (s.key.has_mask ? 1 : 0);
  const bool* mask = s.key.has_mask ? args.input<bool>(mask_at) : nullptr;
  const T* bias = s.key.has_bias ? args.input<T>(bias_at) : nullptr;
  std::int64_t n = 0;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    for (std::int64_t h = 0; h < s.heads; ++h) {
      const std::int64_t block = (b * s.heads + h) * s.keys;
      for (std::int64_t i = 0; i < s.queries; ++i, ++n) {
        f(Row<T>{s,
                 b,
                 h,
                 i,
                 args.input<T>(0) + n * s.d,
                 args.input<T>(1) + block * s.d,
                 args.input<T>(2) + block * s.e,
                 mask,
                 bias},
          n);
      }
    }
  }
}

template <class T>
class ReferenceAttention final : public Kernel {
 public:
  explicit ReferenceAttention(const AttentionShape& shape) : s_(shape) {}

  std::size_t scratch_bytes() const override {
    return s_.keys * sizeof(double);
  }

  Status Run(const KernelArgs& args) override {
    auto* p = reinterpret_cast<double*>(args.scratch);
    ForEachRow<T>(s_, args, 3, [&](const Row<T>& row, std::int64_t n) {
      const double log_sum = Softmax(row, p);
      if (args.out[1] != nullptr) {
        args.output<T>(1)[n] = static_cast<T>(log_sum);
      }
      T* y = args.output<T>(0) + n * s_.e;
      for (std::int64_t c = 0; c < s_.e; ++c) {
        double total = 0;
        for (std::int64_t j = 0; j < s_.keys; ++j) {
          total += p[j] * Wide(row.v[j * s_.e + c]);
        }
        y[c] = static_cast<T>(total);
      }
    });
    return OkStatus();
  }

 private:
  // The row's probabilities; returns the log of their sum.
  double Softmax(const Row<T>& row, double* p) const {
    double top = kLowestScore;
    for (std::int64_t j = 0; j < s_.keys; ++j) {
      p[j] = row.Score(j);
      if (p[j] > top) top = p[j];
    }
    const double shift = top == kLowestScore ? 0 : top;
    double total = 0;
    for (std::int64_t j = 0; j < s_.keys; ++j) {
      p[j] = std::exp(p[j] - shift);
      total += p[j];
    }
    if (total == 0) return kLowestScore;
    for (std::int64_t j = 0; j < s_.keys; ++j) p[j] /= total;
    return shift + std::log(total);
  }

  AttentionShape s_;
};

// With p = exp(score - log_sum), dp = dy v^T and D = dy . y:
//   ds = p (dp - D), dq = scale ds k, dk = scale ds^T q, dv = p^T dy,
//   dbias = ds, summed over the axes along which the bias was stretched.
template <class T>
class ReferenceAttentionGrad final : public Kernel {
 public:
  explicit ReferenceAttentionGrad(const AttentionShape& shape) : s_(shape) {}

  std::size_t scratch_bytes() const override {
    return (KeySize() + s_.bias_elements) * sizeof(double);
  }

  Status Run(const KernelArgs& args) override {
    auto* dk = reinterpret_cast<double*>(args.scratch);
    double* dv = dk + s_.keys * s_.d;
    double* dbias = dk + KeySize();
    std::fill_n(dbias, s_.bias_elements, 0.0);
    ForEachRow<T>(s_, args, 6, [&](const Row<T>& row, std::int64_t n) {
      if (row.query == 0) std::fill_n(dk, KeySize(), 0.0);
      AddRow(args, row, n, dk, dv, dbias);
      if (row.query + 1 < s_.queries) return;
      const std::int64_t block = (row.batch * s_.heads + row.head) * s_.keys;
      Store(dk, s_.keys * s_.d, args.output<T>(1), block * s_.d);
      Store(dv, s_.keys * s_.e, args.output<T>(2), block * s_.e);
    });
    if (s_.queries == 0) ClearKeys(args);
    if (s_.key.has_bias) {
      Store(dbias, s_.bias_elements, args.output<T>(3), 0);
    }
    return OkStatus();
  }

 private:
  std::int64_t KeySize() const { return s_.keys * (s_.d + s_.e); }

  static void Store(const double* from,
                    std::int64_t n,
                    T* to,
                    std::int64_t offset) {
    if (to == nullptr) return;
    std::transform(from, from + n, to + offset, [](double x) {
      return static_cast<T>(x);
    });
  }

  // Without queries nothing was added to dk and dv.
  void ClearKeys(const KernelArgs& args) const {
    const std::int64_t rows = s_.batch * s_.heads * s_.keys;
    if (args.out[1] != nullptr) {
      std::fill_n(args.output<T>(1), rows * s_.d, T{0});
    }
    if (args.out[2] != nullptr) {
      std::fill_n(args.output<T>(2), rows * s_.e, T{0});
    }
  }

  void AddRow(const KernelArgs& args,
              const Row<T>& row,
              std::int64_t n,
              double* dk,
              double* dv,
              double* dbias) const {
    const T* y = args.input<T>(3) + n * s_.e;
    const auto log_sum = Wide(args.input<T>(4)[n]);
    const T* dy = args.input<T>(5) + n * s_.e;
    T* dq = args.out[0] == nullptr ? nullptr : args.output<T>(0) + n * s_.d;
    const double along = Dot(dy, y, s_.e);
    if (dq != nullptr) std::fill_n(dq, s_.d, T{0});
    for (std::int64_t j = 0; j < s_.keys; ++j) {
      if (!row.Sees(j)) continue;
      const double score = row.Score(j);
      // Of a row without probabilities nothing flows back.
      const double p = log_sum == kLowestScore ? 0 : std::exp(score - log_sum);
      const double ds = p * (Dot(dy, row.v + j * s_.e, s_.e) - along);
      for (std::int64_t c = 0; c < s_.e; ++c) {
        dv[j * s_.e + c] += p * Wide(dy[c]);
      }
      for (std::int64_t c = 0; c < s_.d; ++c) {
        dk[j * s_.d + c] += s_.key.scale * ds * Wide(row.q[c]);
        if (dq != nullptr) {
          dq[c] +=
              static_cast<T>(s_.key.scale * ds * Wide(row.k[j * s_.d + c]));
        }
      }
      if (s_.key.has_bias) dbias[row.BiasAt(j)] += ds;
    }
  }

  AttentionShape s_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReferenceAttention(
    const AttentionShape& shape, DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<ReferenceAttention<double>>(shape);
  }
  return std::make_unique<ReferenceAttention<float>>(shape);
}

StatusOr<std::unique_ptr<Kernel>> MakeReferenceAttentionGrad(
    const AttentionShape& shape, DType dtype) {
  if (dtype == DType::kF64) {
    return std::make_unique<ReferenceAttentionGrad<double>>(shape);
  }
  return std::make_unique<ReferenceAttentionGrad<float>>(shape);
}

}  // namespace gyre::internal::inline autodiff

// Adafactor: Adam's second moment in the memory of a row and a column.
//
//   b = 1 - (t + 1)^-decay                              t = 0, 1, ...
//   matrix:  r = b r + (1 - b) row means of (g^2 + eps)
//            c = b c + (1 - b) column means of (g^2 + eps)
//            u_ij = g_ij / sqrt(r_i c_j / mean(r))
//   vector:  v = b v + (1 - b) (g^2 + eps),   u = g / sqrt(v)
//   then     u = u / max(1, rms(u) / clip),   u = u max(rms(p), least)
//
// Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory
// Cost, 2018, algorithms 4 and 5. A tensor of more axes counts as a matrix of
// its first axis by all others, where the smaller side is at least
// `min_side`; other tensors keep a full moment.
//
//   Chain(Guard{}, Adafactor(1e-2));
//
// The learning rate is relative: the size of a parameter multiplies it.

#ifndef GYRE_OPTIM_ADAFACTOR_H_
#define GYRE_OPTIM_ADAFACTOR_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/core/finite.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/schedule.h"
#include "gyre/optim/tensor_stage.h"

namespace gyre::optim {

struct ScaleByFactoredRms {
  double decay = 0.8;
  double eps = 1e-30;
  std::int64_t min_side = 128;

  static constexpr int kStates = 3;
  static constexpr std::array kStateNames = {"row", "column", "v"};
  struct Scalars {
    double b;
  };
  Scalars Prepare(std::int64_t step) const {
    return {1 - std::pow(static_cast<double>(step) + 1, -decay)};
  }

  Shape StateShape(int k, const TensorSlot& tensor) const {
    const Sides s = SidesOf(tensor.shape);
    if (!Factored(s)) return k == 2 ? tensor.shape : Shape({1});
    return Shape({k == 0 ? s.rows : k == 1 ? s.columns : 1});
  }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars& k,
                 const TensorTraits&) const {
    const Sides s = SidesOf(t.shape);
    if (Factored(s)) {
      t.new_state[2][0] = 0;
      TransformMatrix(t, k.b, s);
      return;
    }
    t.new_state[0][0] = t.new_state[1][0] = 0;
    for (std::int64_t i = 0; i < t.size; ++i) {
      const double g = t.u[i];
      const double v = k.b * t.state[2][i] + (1 - k.b) * (g * g + eps);
      t.new_state[2][i] = static_cast<T>(v);
      t.u[i] = static_cast<T>(g / std::sqrt(v));
    }
  }

  Status Validate() const {
    if (decay > 0 && internal::IsFinite(decay) && eps > 0 &&
        internal::IsFinite(eps) && min_side >= 1) {
      return OkStatus();
    }
    return ConfigError(
        "Adafactor needs decay > 0, eps > 0 and min_side >= 1; got decay ",
        decay,
        ", eps ",
        eps,
        ", min_side ",
        min_side);
  }
  std::string Describe() const {
    return Cat("scale_by_factored_rms(decay=",
               internal::Number(decay),
               ", eps=",
               internal::Number(eps),
               ", min_side=",
               min_side,
               ")");
  }

 private:
  struct Sides {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
  };

  static Sides SidesOf(const Shape& shape) {
    if (shape.rank() < 2 || shape.elements() == 0) return {};
    return {shape[0], shape.elements() / shape[0]};
  }
  bool Factored(Sides s) const {
    return std::min(s.rows, s.columns) >= min_side;
  }

  template <class T>
  void TransformMatrix(const TensorArgs<T>& t, double b, Sides s) const {
    std::vector<double> row(s.rows, 0.0), column(s.columns, 0.0);
    for (std::int64_t i = 0; i < s.rows; ++i) {
      const T* g = t.u + i * s.columns;
      double sum = 0;
      for (std::int64_t j = 0; j < s.columns; ++j) {
        const double square = double{g[j]} * double{g[j]} + eps;
        sum += square;
        column[j] += square;
      }
      row[i] = sum;
    }
    const double mean = Follow(t, 0, b, s.columns, row);
    Follow(t, 1, b, s.rows, column);
    for (double& r : row) r = 1 / std::sqrt(r / mean);
    for (double& c : column) c = 1 / std::sqrt(c);
    for (std::int64_t i = 0; i < s.rows; ++i) {
      T* u = t.u + i * s.columns;
      for (std::int64_t j = 0; j < s.columns; ++j) {
        u[j] = static_cast<T>(u[j] * row[i] * column[j]);
      }
    }
  }

  // Turns sums of `terms` squares into the running means, which are stored as
  // state k; gives their mean.
  template <class T>
  static double Follow(const TensorArgs<T>& t,
                       int k,
                       double b,
                       std::int64_t terms,
                       std::vector<double>& sums) {
    double total = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double now = sums[i] / static_cast<double>(terms);
      sums[i] = b * t.state[k][i] + (1 - b) * now;
      t.new_state[k][i] = static_cast<T>(sums[i]);
      total += sums[i];
    }
    return total / static_cast<double>(sums.size());
  }
};

// u = u max(rms(p), least)
struct ScaleByParamRms {
  double least = 1e-3;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    ScaleAll(t, std::max(RootMeanSquare(t.p, t.size), least));
  }

  Status Validate() const {
    if (least > 0 && internal::IsFinite(least)) return OkStatus();
    return ConfigError("ScaleByParamRms needs least > 0, got ", least);
  }
  std::string Describe() const {
    return Cat("scale_by_param_rms(least=", internal::Number(least), ")");
  }
};

struct AdafactorOptions {
  double decay = 0.8;
  double eps = 1e-30;
  std::int64_t min_side = 128;
  double clip = 1;
  double least = 1e-3;
};

inline auto Adafactor(Schedule learning_rate, AdafactorOptions options = {}) {
  return std::tuple(ScaleByFactoredRms{.decay = options.decay,
                                       .eps = options.eps,
                                       .min_side = options.min_side},
                    ClipTensorRms{options.clip},
                    ScaleByParamRms{options.least},
                    ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_ADAFACTOR_H_

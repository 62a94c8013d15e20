// Adam: steps of the size of the learning rate, whatever the gradient's unit.
//
//   m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
//   u = m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)      t = 1, 2, ...
//
// Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, algorithm
// 1. AdamW adds the weight decay after it: Loshchilov and Hutter, Decoupled
// Weight Decay Regularization, 2019.
//
//   Chain(Guard{.max_norm = 1}, Adam(1e-3));
//   Chain(Guard{.max_norm = 1},
//         AdamW(WarmupCosine{.peak = 3e-3, .warmup = 50, .total = 1500},
//               {.weight_decay = 0.1, .where = NotBiasOrNorm}));

#ifndef GYRE_OPTIM_ADAM_H_
#define GYRE_OPTIM_ADAM_H_

#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "gyre/optim/decay.h"
#include "gyre/optim/schedule.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

struct ScaleByAdam {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-8;

  static constexpr int kStates = 2;
  static constexpr std::array kStateNames = {"m", "v"};
  struct Scalars {
    double m_scale, v_scale;
  };

  Scalars Prepare(std::int64_t step) const {
    const double t = static_cast<double>(step) + 1;
    return {1 / (1 - std::pow(b1, t)), 1 / (1 - std::pow(b2, t))};
  }

  template <class V>
  V Apply(V g, V* state, V, const Scalars& k, const TensorTraits&) const {
    V& m = state[0];
    V& v = state[1];
    m = Splat<V>(b1) * m + Splat<V>(1 - b1) * g;
    v = Splat<V>(b2) * v + Splat<V>(1 - b2) * (g * g);
    const V root = math::sqrt(v * Splat<V>(k.v_scale));
    return m * Splat<V>(k.m_scale) / (root + Splat<V>(eps));
  }

  Status Validate() const {
    if (!(b1 >= 0 && b1 < 1 && b2 >= 0 && b2 < 1 && eps > 0)) {
      return ConfigError("Adam needs 0 <= b1, b2 < 1 and eps > 0; got b1 ",
                         b1,
                         ", b2 ",
                         b2,
                         ", eps ",
                         eps);
    }
    return OkStatus();
  }
  std::string Describe() const {
    return Cat("scale_by_adam(b1=",
               internal::Number(b1),
               ", b2=",
               internal::Number(b2),
               ", eps=",
               internal::Number(eps),
               ")");
  }
};

struct AdamOptions {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-8;
};

// The stages of Adam, to be spliced into a chain.
inline auto Adam(Schedule learning_rate, AdamOptions options = {}) {
  return std::tuple(
      ScaleByAdam{.b1 = options.b1, .b2 = options.b2, .eps = options.eps},
      ScaleByLearningRate{std::move(learning_rate)});
}

struct AdamWOptions {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
  Where where = NotBiasOrNorm;
};

inline auto AdamW(Schedule learning_rate, AdamWOptions options = {}) {
  return std::tuple(
      ScaleByAdam{.b1 = options.b1, .b2 = options.b2, .eps = options.eps},
      AddDecayedWeights{.rate = options.weight_decay, .where = options.where},
      ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_ADAM_H_

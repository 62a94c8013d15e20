// Stochastic gradient descent, plain or with momentum.
//
//   t = g + momentum * t
//   u = t, or with Nesterov's look-ahead u = g + momentum * t
//
// Sutskever, Martens, Dahl and Hinton, On the importance of initialization
// and momentum in deep learning, 2013, in the form that PyTorch and Optax use
// (no dampening; the learning rate comes after).
//
//   Chain(Guard{}, Sgd(0.1));                       // plain: no memory
//   Chain(Guard{}, Momentum(0.1, {.momentum = 0.9}));
//   Chain(Guard{}, Nesterov(0.1));

#ifndef GYRE_OPTIM_SGD_H_
#define GYRE_OPTIM_SGD_H_

#include <string>
#include <tuple>
#include <utility>

#include "gyre/optim/schedule.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

struct ScaleByMomentum {
  double momentum = 0.9;
  bool nesterov = false;

  static constexpr int kStates = 1;
  static constexpr std::array kStateNames = {"t"};
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V* state, V, const Scalars&, const TensorTraits&) const {
    V& t = state[0];
    t = g + Splat<V>(momentum) * t;
    return nesterov ? g + Splat<V>(momentum) * t : t;
  }

  Status Validate() const {
    if (momentum >= 0 && momentum < 1) return OkStatus();
    return ConfigError("momentum must be in [0, 1), got ", momentum);
  }
  std::string Describe() const {
    return Cat("sgd(momentum=",
               internal::Number(momentum),
               nesterov ? ", nesterov" : "",
               ")");
  }
};

// The stages, to be spliced into a chain.
inline auto Sgd(Schedule learning_rate) {
  return std::tuple(ScaleByLearningRate{std::move(learning_rate)});
}

struct MomentumOptions {
  double momentum = 0.9;
};

inline auto Momentum(Schedule learning_rate, MomentumOptions options = {}) {
  return std::tuple(ScaleByMomentum{.momentum = options.momentum},
                    ScaleByLearningRate{std::move(learning_rate)});
}
inline auto Nesterov(Schedule learning_rate, MomentumOptions options = {}) {
  return std::tuple(
      ScaleByMomentum{.momentum = options.momentum, .nesterov = true},
      ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_SGD_H_

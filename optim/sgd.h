// Momentum for stochastic gradient descent.
//
//   t = g + momentum * t
//   u = t, or with Nesterov's look-ahead u = g + momentum * t
//
// Sutskever, Martens, Dahl and Hinton, On the importance of initialization
// and momentum in deep learning, 2013, in the form that PyTorch and Optax use
// (no dampening; the learning rate comes after).
//
//   Chain(Guard{}, Sgd{.momentum = 0.9}, ScaleByLearningRate{Constant{0.1}});
//
// Plain descent needs no memory: leave the stage out.

#ifndef GYRE_OPTIM_SGD_H_
#define GYRE_OPTIM_SGD_H_

#include <string>

#include "gyre/optim/stage.h"

namespace gyre::optim {

struct Sgd {
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
    return Cat(
        "sgd(momentum=", Number(momentum), nesterov ? ", nesterov" : "", ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_SGD_H_

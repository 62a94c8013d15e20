// RMSProp: the gradient in units of its own recent size.
//
//   v = decay v + (1 - decay) g^2        u = g / sqrt(v + eps)
//
// Tieleman and Hinton, Lecture 6.5 of Neural Networks for Machine Learning,
// 2012; with eps under the root, as Optax does by default. v begins at 0, so
// the first steps are large: warm the learning rate up.
//
//   Chain(Guard{}, RmsProp(1e-3));

#ifndef GYRE_OPTIM_RMSPROP_H_
#define GYRE_OPTIM_RMSPROP_H_

#include <string>
#include <tuple>
#include <utility>

#include "gyre/optim/schedule.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

struct ScaleByRms {
  double decay = 0.9;
  double eps = 1e-8;

  static constexpr int kStates = 1;
  static constexpr std::array kStateNames = {"v"};
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V* state, V, const Scalars&, const TensorTraits&) const {
    V& v = state[0];
    v = Splat<V>(decay) * v + Splat<V>(1 - decay) * (g * g);
    return g / math::sqrt(v + Splat<V>(eps));
  }

  Status Validate() const {
    if (decay >= 0 && decay < 1 && eps > 0) return OkStatus();
    return ConfigError("RMSProp needs 0 <= decay < 1 and eps > 0; got decay ",
                       decay,
                       ", eps ",
                       eps);
  }
  std::string Describe() const {
    return Cat("scale_by_rms(decay=",
               internal::Number(decay),
               ", eps=",
               internal::Number(eps),
               ")");
  }
};

struct RmsPropOptions {
  double decay = 0.9;
  double eps = 1e-8;
};

// The stages of RMSProp, to be spliced into a chain.
inline auto RmsProp(Schedule learning_rate, RmsPropOptions options = {}) {
  return std::tuple(ScaleByRms{.decay = options.decay, .eps = options.eps},
                    ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_RMSPROP_H_

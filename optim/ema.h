// A running mean of the parameters beside the training: what to evaluate and
// to ship.
//
//   e = decay e + (1 - decay) (p + u)        the update passes unchanged
//
// Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging,
// 1992, with exponential weights. e begins at 0: divide by Correction(steps).
//
//   Chain(Guard{}, Adam(1e-3), TrackEma{.decay = 0.999});
//
// WARNING 1: it must be the last stage, for u is then what is added to p. A
// chain with it elsewhere does not compile.

#ifndef GYRE_OPTIM_EMA_H_
#define GYRE_OPTIM_EMA_H_

#include <cmath>
#include <string>

#include "gyre/optim/stage.h"

namespace gyre::optim {

// Where a chain keeps the running mean: its place among the states.
struct EmaPlace {
  int state = 0;
  double decay = 0;
};

struct TrackEma {
  double decay = 0.999;

  static constexpr int kStates = 1;
  static constexpr std::array kStateNames = {"e"};
  static constexpr bool kMustBeLast = true;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V u, V* state, V p, const Scalars&, const TensorTraits&) const {
    V& e = state[0];
    e = Splat<V>(decay) * e + Splat<V>(1 - decay) * (p + u);
    return u;
  }

  // The weights that e holds after so many applied steps sum to this.
  double Correction(std::int64_t applied_steps) const {
    return 1 - std::pow(decay, static_cast<double>(applied_steps));
  }

  Status Validate() const {
    if (decay >= 0 && decay < 1) return OkStatus();
    return ConfigError("TrackEma needs 0 <= decay < 1, got ", decay);
  }
  std::string Describe() const {
    return Cat("track_ema(decay=", internal::Number(decay), ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_EMA_H_

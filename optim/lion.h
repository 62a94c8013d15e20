// Lion: the sign of an interpolated momentum.
//
//   u = sign(b1 m + (1 - b1) g)      m = b2 m + (1 - b2) g
//
// Chen et al., Symbolic Discovery of Optimization Algorithms, 2023. Every
// element moves by exactly the learning rate: take one 3 to 10 times smaller
// than Adam's, and a weight decay so much larger.
//
//   Chain(Guard{.max_norm = 1}, ScaleByLion{},
//         AddDecayedWeights{.rate = 1, .where = NotBiasOrNorm},
//         ScaleByLearningRate{Constant{1e-4}});

#ifndef GYRE_OPTIM_LION_H_
#define GYRE_OPTIM_LION_H_

#include <string>

#include "gyre/optim/stage.h"

namespace gyre::optim {

struct ScaleByLion {
  double b1 = 0.9;
  double b2 = 0.99;

  static constexpr int kStates = 1;
  static constexpr std::array kStateNames = {"m"};
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V* state, V, const Scalars&, const TensorTraits&) const {
    V& m = state[0];
    const V u = math::sign(Splat<V>(b1) * m + Splat<V>(1 - b1) * g);
    m = Splat<V>(b2) * m + Splat<V>(1 - b2) * g;
    return u;
  }

  Status Validate() const {
    if (b1 >= 0 && b1 < 1 && b2 >= 0 && b2 < 1) return OkStatus();
    return ConfigError("Lion needs 0 <= b1, b2 < 1; got b1 ", b1, ", b2 ", b2);
  }
  std::string Describe() const {
    return Cat("scale_by_lion(b1=", Number(b1), ", b2=", Number(b2), ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_LION_H_

// Lion: the sign of an interpolated momentum.
//
//   u = sign(b1 m + (1 - b1) g)      m = b2 m + (1 - b2) g
//
// Chen et al., Symbolic Discovery of Optimization Algorithms, 2023. Every
// element moves by exactly the learning rate: take one 3 to 10 times smaller
// than Adam's, and a weight decay so much larger.
//
//   Chain(Guard{.max_norm = 1}, Lion(1e-4, {.weight_decay = 1}));

#ifndef GYRE_OPTIM_LION_H_
#define GYRE_OPTIM_LION_H_

#include <string>
#include <tuple>
#include <utility>

#include "gyre/optim/decay.h"
#include "gyre/optim/schedule.h"
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
    return Cat("scale_by_lion(b1=",
               internal::Number(b1),
               ", b2=",
               internal::Number(b2),
               ")");
  }
};

struct LionOptions {
  double b1 = 0.9;
  double b2 = 0.99;
  double weight_decay = 0;
  Where where = NotBiasOrNorm;  // decays
};

// The stages of Lion, to be spliced into a chain.
inline auto Lion(Schedule learning_rate, LionOptions options = {}) {
  return std::tuple(
      ScaleByLion{.b1 = options.b1, .b2 = options.b2},
      AddDecayedWeights{.rate = options.weight_decay, .where = options.where},
      ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_LION_H_

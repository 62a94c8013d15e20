// Stages as a user writes them, for a chain that the library has not compiled.

#ifndef GYRE_TESTS_OPTIM_BEND_STAGE_H_
#define GYRE_TESTS_OPTIM_BEND_STAGE_H_

#include <cstdint>

#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/stage.h"
#include "gyre/optim/tensor_stage.h"

namespace gyre::optim {

using namespace internal;

// Remembers the logarithm of the gradient's size; much of the vocabulary.
struct Bend {
  static constexpr int kStates = 1;
  struct Scalars {
    double t;
  };
  Scalars Prepare(std::int64_t step) const {
    return {1.0 / (1 + static_cast<double>(step))};
  }

  template <class V>
  V Apply(V g, V* state, V p, const Scalars& k, const TensorTraits&) const {
    V& s = state[0];
    s = Splat<V>(0.9) * s + math::log(math::abs(g) + Splat<V>(1e-6));
    const V wave = math::sin(p * Splat<V>(3)) + math::erf(g);
    const V bent = math::tanh(g) * math::exp(-math::square(s) * Splat<V>(k.t));
    return math::select(g > Splat<V>(0), bent, math::clip(wave, -2.0f, 2.0f)) +
           math::sign(g) * math::pow(math::abs(p), Splat<V>(0.25));
  }
};

// Needs the whole tensor.
struct Centred {
  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    double sum = 0;
    for (std::int64_t i = 0; i < t.size; ++i) sum += t.u[i];
    const double mean = t.size == 0 ? 0 : sum / static_cast<double>(t.size);
    for (std::int64_t i = 0; i < t.size; ++i) {
      t.u[i] = static_cast<T>(t.u[i] - mean);
    }
  }
};

// What a source without -march makes (plain_chain.cc).
int PlainWidth();
AnyOptimizer PlainBend();
AnyOptimizer PlainCentredBend();
AnyOptimizer PlainAdam();

}  // namespace gyre::optim

#endif  // GYRE_TESTS_OPTIM_BEND_STAGE_H_

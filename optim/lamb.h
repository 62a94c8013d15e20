// LAMB: Adam whose step is measured by the length of each tensor, for large
// batches.
//
//   u = adam(g) + decay p        u = u * |p| / |u|      (each tensor alone)
//
// where a norm is 0 the factor is 1. You et al., Large Batch Optimization for
// Deep Learning: Training BERT in 76 Minutes, 2020, algorithm 2 without the
// bounds on |p|, as Optax has it.
//
//   Chain(Guard{.max_norm = 1}, Lamb(1e-3));

#ifndef GYRE_OPTIM_LAMB_H_
#define GYRE_OPTIM_LAMB_H_

#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "gyre/optim/adam.h"
#include "gyre/optim/decay.h"
#include "gyre/optim/schedule.h"
#include "gyre/optim/tensor_stage.h"

namespace gyre::optim {

struct ScaleByTrustRatio {
  Where where = AllTensors;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    const double length = std::sqrt(SumOfSquares(t.p, t.size));
    const double step = std::sqrt(SumOfSquares(t.u, t.size));
    if (length > 0 && step > 0) ScaleAll(t, length / step);
  }

  std::string Describe() const {
    return Cat("scale_by_trust_ratio(where=", NameOf(where), ")");
  }
};

struct LambOptions {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-6;
  double weight_decay = 0;
  Where where = NotBiasOrNorm;  // decays
};

inline auto Lamb(Schedule learning_rate, LambOptions options = {}) {
  return std::tuple(
      ScaleByAdam{.b1 = options.b1, .b2 = options.b2, .eps = options.eps},
      AddDecayedWeights{.rate = options.weight_decay, .where = options.where},
      ScaleByTrustRatio{},
      ScaleByLearningRate{std::move(learning_rate)});
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_LAMB_H_

// Clips each element: u = min(max(g, -limit), limit).
//
// NaN stays NaN, so that the check of the update finds it. The clip by global
// norm is the guard's (Guard::max_norm), because it needs the whole gradient
// before the first element changes.
//
// Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural
// networks, 2013, name both forms.

#ifndef GYRE_OPTIM_CLIP_H_
#define GYRE_OPTIM_CLIP_H_

#include <string>

#include "gyre/optim/stage.h"

namespace gyre::optim {

struct ClipEach {
  double limit = 1;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V*, V, const Scalars&, const TensorTraits&) const {
    return math::clip(g, Splat<V>(-limit), Splat<V>(limit));
  }

  Status Validate() const {
    if (limit >= 0) return OkStatus();
    return ConfigError("ClipEach needs a limit of 0 or more, got ", limit);
  }
  std::string Describe() const {
    return Cat("clip_each(", internal::Number(limit), ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_CLIP_H_

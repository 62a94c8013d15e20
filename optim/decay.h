// Weight decay, decoupled: u = u + rate * p.
//
// After the adaptive stage it is AdamW's decay (Loshchilov and Hutter,
// Decoupled Weight Decay Regularization, 2019); before it, it is the L2
// penalty of the classical form. The learning rate of a later stage scales it
// as well.

#ifndef GYRE_OPTIM_DECAY_H_
#define GYRE_OPTIM_DECAY_H_

#include <string>

#include "gyre/core/finite.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

struct AddDecayedWeights {
  double rate = 0.01;
  Where where = AllTensors;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class V>
  V Apply(V g, V*, V p, const Scalars&, const TensorTraits&) const {
    return g + Splat<V>(rate) * p;
  }

  Status Validate() const {
    if (internal::IsFinite(rate) && rate >= 0) return OkStatus();
    return ConfigError("weight decay must not be negative, got ", rate);
  }
  std::string Describe() const {
    return Cat("add_decayed_weights(rate=",
               internal::Number(rate),
               ", where=",
               NameOf(where),
               ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_DECAY_H_

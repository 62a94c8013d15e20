// What a stage of an optimizer is: a small struct that turns a gradient into
// an update, element by element, with some memory per element.
//
//   struct SignOfGradient {                      // a stage of your own
//     double threshold = 0;                      // its options
//     static constexpr int kStates = 0;          // flat arrays it remembers
//     struct Scalars { double t; };              // numbers of one step
//     Scalars Prepare(std::int64_t) const { return {threshold}; }
//     template <class V>
//     V Apply(V g, V*, V, const Scalars& k, const TensorTraits&) const {
//       return math::select(g > Splat<V>(k.t), Splat<V>(1), Splat<V>(-1));
//     }
//   };
//
// V is a batch of floats in training, and float or double in a test; write
// operators, Splat, and the words of core/math.h. All stages of a chain are
// fused into one pass over memory.
//
// Prepare is called once a step on the host, with the number of updates that
// were applied before: 0 at the first. A skipped step does not count.
//
// A stage that needs a whole tensor at once (a norm of it, sums of its rows)
// has Transform instead of Apply: see optim/tensor_stage.h.
//
// A stage may also have, and the chain will find:
//   Where where;                      the tensors it acts on, default all
//   std::string Describe() const;     for run.json and the fingerprint
//   Status Validate() const;          refuses bad options
//   static constexpr std::array kStateNames = {"m"};    for checkpoints
//   double LearningRate(step) const;  its share of the learning rate shown
//
// WARNING 1: hold options as double. 1 - 0.999f is off by 5e-5.
// WARNING 2: states begin as zeros. A stage that needs another start corrects
// for it in Prepare, as Adam does.
// WARNING 3: the update is added: somewhere in the chain the sign must turn
// (ScaleByLearningRate does it).

#ifndef GYRE_OPTIM_STAGE_H_
#define GYRE_OPTIM_STAGE_H_

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gyre/core/lanes.h"
#include "gyre/core/math.h"  // IWYU pragma: export
#include "gyre/core/number.h"
#include "gyre/core/status.h"
#include "gyre/optim/layout.h"
#include "gyre/optim/where.h"  // IWYU pragma: export

namespace gyre::optim {

// What a stage knows of the tensor that it acts on.
struct TensorTraits {
  float lr_scale = 1;
  std::uint32_t active = ~0u;  // bit i: stage i of the chain acts on it
};

// The same number in every lane.
template <class V>
V Splat(double x) {
  return V(static_cast<typename internal::Lanes<V>::Scalar>(x));
}

// One tensor, for a stage that needs all of it; all arrays in its order.
template <class T>
struct TensorArgs {
  const Shape& shape;
  std::int64_t size = 0;
  T* u = nullptr;        // what the stages before made of the gradient;
                         // changed in place
  const T* p = nullptr;  // the parameters, before the step
  const T* const* state = nullptr;  // as it was
  T* const* new_state = nullptr;    // every element is to be written
};

template <class S>
concept PointwiseStage = requires(const S stage,
                                  double* state,
                                  const TensorTraits& traits,
                                  std::int64_t step) {
  { S::kStates } -> std::convertible_to<int>;
  stage.Prepare(step);
  {
    stage.Apply(1.0, state, 1.0, stage.Prepare(step), traits)
    } -> std::same_as<double>;
};

template <class S>
concept TensorStage = requires(const S stage,
                               const TensorArgs<double>& tensor,
                               const TensorTraits& traits,
                               std::int64_t step) {
  { S::kStates } -> std::convertible_to<int>;
  stage.Transform(tensor, stage.Prepare(step), traits);
};

template <class S>
concept Stage = PointwiseStage<S> || TensorStage<S>;

template <class S>
std::string DescribeStage(const S& stage) {
  if constexpr (requires { stage.Describe(); }) {
    return stage.Describe();
  } else {
    return Cat("custom(states=", S::kStates, ")");
  }
}

template <class S>
std::string StateName(int k) {
  if constexpr (requires { S::kStateNames; }) {
    static_assert(S::kStateNames.size() == S::kStates);
    return S::kStateNames[k];
  } else {
    return Cat("state", k);
  }
}

template <class S>
Status ValidateStage(const S& stage) {
  if constexpr (requires { stage.Validate(); }) {
    return stage.Validate();
  } else {
    return OkStatus();
  }
}

template <class S>
double LearningRateOf(const S& stage, std::int64_t step) {
  if constexpr (requires { stage.LearningRate(step); }) {
    return stage.LearningRate(step);
  } else {
    return 1;
  }
}

// The shape of a state for one tensor: the tensor's own, unless the stage
// says otherwise (optim/adafactor.h keeps sums of rows and columns).
template <class S>
Shape StateShapeOf(const S& stage, int k, const TensorSlot& tensor) {
  if constexpr (requires { stage.StateShape(k, tensor); }) {
    return stage.StateShape(k, tensor);
  } else {
    return tensor.shape;
  }
}

template <class S>
bool ActsOn(const S& stage, const TensorSlot& tensor) {
  if constexpr (requires { stage.where; }) {
    return stage.where.test(tensor);
  } else {
    return true;
  }
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_STAGE_H_

// Runs the stages of a chain on one tensor. For optimizer.h.
//
// A chain of pointwise stages is one fused pass. A stage that needs the whole
// tensor ends the pass before it, works on the update where the new
// parameters will be, and a last pass adds the parameters:
//
//   pass   stages until the first tensor stage       new_param <- update
//   Transform of the tensor stage                    new_param changes
//   pass   the stages after it                       new_param <- p + update
//
// A pass touches the states of its own stages alone. kWidth says which pass it
// is: vectors of so many floats, or (1) numbers, with the same bits.

#ifndef GYRE_OPTIM_STAGED_PASS_H_
#define GYRE_OPTIM_STAGED_PASS_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "gyre/core/finite.h"
#include "gyre/core/simd.h"
#include "gyre/optim/segment.h"
#include "gyre/optim/stage.h"

#ifdef GYRE_SIMD
#include "gyre/optim/fused_pass.h"
#endif

namespace gyre::optim::detail {

// What a tensor is besides its memory.
struct TensorTask {
  const Shape& shape;
  std::span<const std::int64_t> state_sizes;  // elements of each state
};

template <class Stages, int kStage>
using StageAt = std::tuple_element_t<kStage, Stages>;

// Pointwise stages [kStage, kEnd); their memory begins at states[kState].
template <int kStage,
          int kEnd,
          int kState,
          class Stages,
          class Prepared,
          class V>
V ApplyStages(const Stages& stages,
              V u,
              V* states,
              V p,
              const Prepared& prepared,
              const TensorTraits& traits) {
  if constexpr (kStage == kEnd) {
    return u;
  } else {
    const auto& stage = std::get<kStage>(stages);
    using T = std::remove_cvref_t<decltype(stage)>;
    bool acts = true;
    if constexpr (requires { stage.where; }) {
      acts = (traits.active >> kStage & 1u) != 0;
    }
    if (acts) {
      u = stage.Apply(
          u, states + kState, p, std::get<kStage>(prepared), traits);
    }
    return ApplyStages<kStage + 1, kEnd, kState + T::kStates>(
        stages, u, states, p, prepared, traits);
  }
}

// The first tensor stage from kStage on, or the number of stages.
template <class Stages, int kStage>
constexpr int NextTensorStage() {
  if constexpr (kStage == std::tuple_size_v<Stages>) {
    return kStage;
  } else if constexpr (PointwiseStage<StageAt<Stages, kStage>>) {
    return NextTensorStage<Stages, kStage + 1>();
  } else {
    return kStage;
  }
}

template <class Stages, int kStage, int kEnd>
constexpr int StatesOf() {
  if constexpr (kStage == kEnd) {
    return 0;
  } else {
    return StageAt<Stages, kStage>::kStates +
           StatesOf<Stages, kStage + 1, kEnd>();
  }
}

// Stage kStage, which needs the whole tensor. False if a new state of it is
// not finite.
template <int kStage,
          int kState,
          class Stages,
          int kStates,
          class T,
          class Prepared>
bool TransformTensor(const Stages& stages,
                     const Segment<kStates, T>& seg,
                     const TensorTask& task,
                     const Prepared& prepared,
                     const TensorTraits& traits) {
  constexpr int kOwn = StageAt<Stages, kStage>::kStates;
  const Segment<kOwn, T> own = PartOf<kState, kOwn>(seg);
  const auto sizes = task.state_sizes.subspan(kState, kOwn);
  if ((traits.active >> kStage & 1u) == 0) {
    for (int k = 0; k < kOwn; ++k) {
      std::copy_n(own.state[k], sizes[k], own.new_state[k]);
    }
    return true;
  }
  const TensorArgs<T> args{.shape = task.shape,
                           .size = seg.size,
                           .u = seg.new_param,
                           .p = seg.param,
                           .state = own.state.data(),
                           .new_state = own.new_state.data()};
  std::get<kStage>(stages).Transform(args, std::get<kStage>(prepared), traits);
  std::int64_t bad = 0;
  for (int k = 0; k < kOwn; ++k) {
    bad += internal::CountNonFinite(own.new_state[k],
                                    static_cast<std::size_t>(sizes[k]));
  }
  return bad == 0;
}

// One pass of pointwise stages.
template <int kWidth, bool kAddParam, int kStates, class T, class Kernel>
bool Pass(const Segment<kStates, T>& seg, SplitFactor scale, Kernel kernel) {
#ifdef GYRE_SIMD
  if constexpr (kWidth > 1 && std::is_same_v<T, float>) {
    return FusedPass<kWidth, kAddParam>(seg, scale, kernel);
  }
#endif
  return ScalarPass<kAddParam>(seg, scale, kernel);
}

// Stages from kStage on; their memory begins at state kState. True if every
// new value is finite.
template <int kWidth,
          int kStage,
          int kState,
          class Stages,
          int kStates,
          class T,
          class Prepared>
bool RunStages(const Stages& stages,
               Segment<kStates, T> seg,
               const TensorTask& task,
               SplitFactor scale,
               const Prepared& prepared,
               const TensorTraits& traits) {
  constexpr int kCount = std::tuple_size_v<Stages>;
  constexpr int kEnd = NextTensorStage<Stages, kStage>();
  constexpr int kPart = StatesOf<Stages, kStage, kEnd>();
  constexpr bool kLast = kEnd == kCount;
  bool finite = true;
  if constexpr (kLast || kStage == 0 || kStage < kEnd) {
    // Copies: no store of the loop can reach them, so the compiler keeps
    // every constant in a register.
    const auto kernel = [stages, prepared, traits](
                            auto g, auto* states, auto p) {
      return ApplyStages<kStage, kEnd, 0>(
          stages, g, states, p, prepared, traits);
    };
    // An update that is not finite in between shows at the end, in p + u.
    finite = Pass<kWidth, kLast>(PartOf<kState, kPart>(seg), scale, kernel);
  }
  if constexpr (kLast) {
    return finite;
  } else {
    constexpr int kNext = kState + kPart;
    finite &= TransformTensor<kEnd, kNext>(stages, seg, task, prepared, traits);
    seg.grad = seg.new_param;
    finite &=
        RunStages<kWidth, kEnd + 1, kNext + StageAt<Stages, kEnd>::kStates>(
            stages, seg, task, SplitFactor{}, prepared, traits);
    return finite;
  }
}

}  // namespace gyre::optim::detail

#endif  // GYRE_OPTIM_STAGED_PASS_H_

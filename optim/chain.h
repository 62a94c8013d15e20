// An optimizer: a guard, then stages, in one fused pass.
//
//   auto opt = Chain(
//       Guard{.max_norm = 1.0, .max_consecutive_skips = 3},
//       ScaleByAdam{.b2 = 0.95},
//       AddDecayedWeights{.rate = 0.1, .where = NotBiasOrNorm},
//       ScaleByLearningRate{WarmupCosine{.peak = 3e-4, .warmup = 500,
//                                        .total = 20'000}});
//
// The guard comes first by type: a chain without one, with one elsewhere, or
// with two does not compile, and the message says so. A std::tuple of stages
// (what AdamW() gives) is spliced in.
//
// WARNING 1: the order of the stages is the order of the arithmetic. The
// learning rate after AddDecayedWeights scales the decay too.

#ifndef GYRE_OPTIM_CHAIN_H_
#define GYRE_OPTIM_CHAIN_H_

#include <tuple>
#include <type_traits>
#include <utility>

#include "gyre/optim/guard.h"
#include "gyre/optim/optimizer.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {
namespace detail {

template <class T>
struct AsStages {
  static constexpr bool kValid = Stage<T>;
  static constexpr bool kHasGuard = std::is_same_v<T, Guard>;
  static std::tuple<T> Get(T stage) { return {std::move(stage)}; }
};
template <class... T>
struct AsStages<std::tuple<T...>> {
  static constexpr bool kValid = (Stage<T> && ...);
  static constexpr bool kHasGuard = (std::is_same_v<T, Guard> || ...);
  static std::tuple<T...> Get(std::tuple<T...> stages) { return stages; }
};

template <class T>
inline constexpr bool kMustBeLast = requires {
  requires T::kMustBeLast;
};

// True when only the last of the stages asks to be it.
template <class... S>
constexpr bool LastIsLast() {
  int place = 0;
  bool good = true;
  ((good = good && (++place == sizeof...(S) || !kMustBeLast<S>)), ...);
  return good;
}

template <class T>
inline constexpr bool kRefused = false;

struct MakeOptimizer {
  template <class... S>
  static auto From(Guard guard, std::tuple<S...> stages) {
    constexpr bool kInOrder = LastIsLast<S...>();
    static_assert(kInOrder,
                  "A stage that must be last, as TrackEma, is not the last.");
    if constexpr (kInOrder) {
      return Optimizer<S...>(std::move(guard), std::move(stages));
    } else {
      return Optimizer<>(std::move(guard), std::tuple<>());
    }
  }
};

}  // namespace detail

// The only way to make an Optimizer.
template <class... T>
auto Chain(Guard guard, T... stages) {
  constexpr bool kOneGuard = !(detail::AsStages<T>::kHasGuard || ...);
  constexpr bool kValid = (detail::AsStages<T>::kValid && ...);
  static_assert(kOneGuard,
                "An optimizer chain has exactly one optim::Guard, at its "
                "start: remove the second.");
  static_assert(kValid || !kOneGuard,
                "Each stage after the guard needs kStates, Prepare and Apply: "
                "see optim/stage.h.");
  if constexpr (kOneGuard && kValid) {
    return detail::MakeOptimizer::From(
        std::move(guard),
        std::tuple_cat(detail::AsStages<T>::Get(std::move(stages))...));
  } else {
    return detail::MakeOptimizer::From(std::move(guard), std::tuple<>());
  }
}

// What a chain without a guard in front finds: the reason why it is refused.
template <class First, class... Rest>
requires(!std::is_same_v<First, Guard>) Optimizer<> Chain(First, Rest...) {
  static_assert(detail::kRefused<First>,
                "An optimizer chain must start with optim::Guard.");
  return detail::MakeOptimizer::From(Guard{}, std::tuple<>());
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_CHAIN_H_

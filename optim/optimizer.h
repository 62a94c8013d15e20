// The optimizer that Chain() makes: its options and its update.

#ifndef GYRE_OPTIM_OPTIMIZER_H_
#define GYRE_OPTIM_OPTIMIZER_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "optim/fused_pass.h"
#include "optim/guard.h"
#include "optim/stage.h"
#include "optim/update.h"

namespace gyre::optim {
namespace internal {

// Stage kStage and those after it; their memory begins at states[kState].
template <int kStage, int kState, class Stages, class Prepared, class V>
V ApplyStages(const Stages& stages,
              V u,
              V* states,
              V p,
              const Prepared& prepared,
              const TensorTraits& traits) {
  if constexpr (kStage == std::tuple_size_v<Stages>) {
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
    return ApplyStages<kStage + 1, kState + T::kStates>(
        stages, u, states, p, prepared, traits);
  }
}

struct MakeOptimizer;  // of chain.h, the only one who may

}  // namespace internal

template <Stage... S>
class Optimizer {
 public:
  static constexpr int kStages = sizeof...(S);
  static constexpr int kStates = (0 + ... + S::kStates);
  static_assert(kStages <= 32, "TensorTraits::active has 32 bits.");

  using Prepared = std::tuple<decltype(std::declval<const S&>().Prepare(0))...>;

  const Guard& guard() const { return guard_; }
  int num_states() const { return kStates; }

  // Errors: bad options of the guard or a stage, a chain that goes uphill.
  Status Validate() const;
  // "guard(...) | scale_by_adam(...) | ...": equal text, equal arithmetic.
  std::string Describe() const;
  // One name a state, unique in the chain: "0.m", "0.v".
  std::vector<std::string> StateNames() const;
  // For metrics: the product of the scales of the stages.
  double LearningRate(std::int64_t applied_steps) const;

  // Once per layout; which stages act on which tensor.
  std::vector<TensorTraits> MakeTraits(const FlatLayout& layout) const;

  Prepared Prepare(std::int64_t applied_steps) const {
    return std::apply(
        [&](const auto&... stage) {
          return Prepared{stage.Prepare(applied_steps)...};
        },
        stages_);
  }

  // The arithmetic of the chain on one batch (or one number): the update.
  // states: kStates of them, changed in place.
  template <class V>
  V Apply(V g,
          V* states,
          V p,
          const Prepared& prepared,
          const TensorTraits& traits) const {
    return internal::ApplyStages<0, 0>(stages_, g, states, p, prepared, traits);
  }

  // Writes every tensor of the range to the bank `to`.
  UpdateResult Update(const UpdateArgs& args) const;

 private:
  friend struct internal::MakeOptimizer;
  Optimizer(Guard guard, std::tuple<S...> stages)
      : guard_(std::move(guard)), stages_(std::move(stages)) {}

  Guard guard_;
  std::tuple<S...> stages_;
};

template <Stage... S>
Status Optimizer<S...>::Validate() const {
  Status status = guard_.Validate();
  const auto check = [&status](const auto& stage) {
    if (status.ok()) status = ValidateStage(stage);
  };
  std::apply([&](const auto&... stage) { (check(stage), ...); }, stages_);
  if (!status.ok()) return status;
  // A gradient of 1 must not raise the parameter.
  double states[kStates + 1] = {};
  if (Apply<double>(1.0, states, 0.0, Prepare(1), TensorTraits{}) > 0) {
    return ConfigError("this chain goes uphill: end it with ",
                       "ScaleByLearningRate, or add Scale{-1}; got ",
                       Describe());
  }
  return OkStatus();
}

template <Stage... S>
std::string Optimizer<S...>::Describe() const {
  std::string text = guard_.Describe();
  std::apply(
      [&](const auto&... stage) {
        ((text += " | " + DescribeStage(stage)), ...);
      },
      stages_);
  return text;
}

template <Stage... S>
std::vector<std::string> Optimizer<S...>::StateNames() const {
  std::vector<std::string> names;
  int place = 0;
  const auto add = [&]<class T>(const T&) {
    for (int k = 0; k < T::kStates; ++k) {
      names.push_back(Cat(place, ".", StateName<T>(k)));
    }
    ++place;
  };
  std::apply([&](const auto&... stage) { (add(stage), ...); }, stages_);
  return names;
}

template <Stage... S>
double Optimizer<S...>::LearningRate(std::int64_t applied_steps) const {
  return std::apply(
      [&](const auto&... stage) {
        return (1.0 * ... * LearningRateOf(stage, applied_steps));
      },
      stages_);
}

template <Stage... S>
std::vector<TensorTraits> Optimizer<S...>::MakeTraits(
    const FlatLayout& layout) const {
  std::vector<TensorTraits> traits;
  for (const TensorSlot& slot : layout.tensors()) {
    TensorTraits t{.lr_scale = static_cast<float>(slot.lr_scale), .active = 0};
    int bit = 0;
    const auto ask = [&](const auto& stage) {
      if (ActsOn(stage, slot)) t.active |= 1u << bit;
      ++bit;
    };
    std::apply([&](const auto&... stage) { (ask(stage), ...); }, stages_);
    traits.push_back(t);
  }
  return traits;
}

template <Stage... S>
UpdateResult Optimizer<S...>::Update(const UpdateArgs& args) const {
  const FlatLayout& layout = *args.layout;
  GYRE_CHECK(args.traits.size() == layout.tensors().size(),
             "traits of another layout");
  GYRE_CHECK(
      args.from.states.size() == kStates && args.to.states.size() == kStates,
      "banks of another optimizer");
  const Prepared prepared = Prepare(args.applied_steps);
  const SplitFactor scale = Split(args.grad_scale);
  const int end = args.end < 0 ? layout.count() : args.end;
  UpdateResult result;
  for (int t = args.begin; t < end; ++t) {
    const std::int64_t at = layout[t].offset;
    internal::Segment<kStates> seg{.grad = args.grads + at,
                                   .param = args.from.params + at,
                                   .new_param = args.to.params + at,
                                   .size = layout[t].size};
    for (int k = 0; k < kStates; ++k) {
      seg.state[k] = args.from.states[k] + at;
      seg.new_state[k] = args.to.states[k] + at;
    }
    // Copies: no store of the loop can reach them, so the compiler keeps
    // every constant in a register.
    const auto kernel = [stages = stages_, prepared, traits = args.traits[t]](
                            auto g, auto* states, auto p) {
      return internal::ApplyStages<0, 0>(
          stages, g, states, p, prepared, traits);
    };
    if (internal::UpdateSegment(seg, scale, kernel)) {
      continue;
    }
    result.Add({.non_finite = internal::CountBad(seg), .first_bad_tensor = t});
  }
  return result;
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_OPTIMIZER_H_

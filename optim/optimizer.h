// The optimizer that Chain() makes: its options and its update.

#ifndef GYRE_OPTIM_OPTIMIZER_H_
#define GYRE_OPTIM_OPTIMIZER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/core/check.h"
#include "gyre/core/simd.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/segment.h"
#include "gyre/optim/stage.h"
#include "gyre/optim/staged_pass.h"
#include "gyre/optim/update.h"

namespace gyre::optim {
namespace detail {

struct MakeOptimizer;  // of chain.h, the only one who may

}  // namespace detail

template <Stage... S>
class Optimizer {
 public:
  static constexpr int kStages = sizeof...(S);
  static constexpr int kStates = (0 + ... + S::kStates);
  // No stage needs a whole tensor at once.
  static constexpr bool kPointwise = (PointwiseStage<S> && ...);
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
  // Where the running mean of the parameters is kept (optim/ema.h).
  std::optional<EmaPlace> Ema() const;
  // For metrics: the product of the scales of the stages.
  double LearningRate(std::int64_t applied_steps) const;

  // Where each state lives: of the parameters' layout, but for stages that
  // remember something of another shape.
  std::vector<FlatLayout> MakeStateLayouts(const FlatLayout& layout) const;

  // Once per layout; which stages act on which tensor.
  std::vector<TensorTraits> MakeTraits(const FlatLayout& layout) const;

  Prepared Prepare(std::int64_t applied_steps) const {
    return std::apply(
        [&](const auto&... stage) {
          return Prepared{stage.Prepare(applied_steps)...};
        },
        stages_);
  }

  // The arithmetic of a chain of pointwise stages on one batch (or one
  // number): the update. states: kStates of them, changed in place.
  template <class V>
  V Apply(V g,
          V* states,
          V p,
          const Prepared& prepared,
          const TensorTraits& traits) const {
    return detail::ApplyStages<0, kStages, 0>(
        stages_, g, states, p, prepared, traits);
  }

  // The arithmetic of any chain on one tensor: new values from old ones. False
  // if a new value is not finite. T: float (aligned, padded) or double. kWidth
  // is the source's own (core/simd.h): sources with other flags share no code.
  template <class T, int kWidth = internal::kSimdWidth>
  bool UpdateTensor(const detail::Segment<kStates, T>& seg,
                    const detail::TensorTask& task,
                    SplitFactor scale,
                    const Prepared& prepared,
                    const TensorTraits& traits) const {
    return detail::RunStages<kWidth, 0, 0>(
        stages_, seg, task, scale, prepared, traits);
  }

  // Writes every tensor of the range to the bank `to`.
  template <int kWidth = internal::kSimdWidth>
  UpdateResult Update(const UpdateArgs& args) const;

 private:
  friend struct detail::MakeOptimizer;
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
  // A gradient of 1 must not raise a parameter of 1 that does not decay.
  const double gradient = 1, parameter = 0;
  double moved = 0, states[kStates + 1] = {}, new_states[kStates + 1] = {};
  detail::Segment<kStates, double> seg{
      .grad = &gradient, .param = &parameter, .new_param = &moved, .size = 1};
  for (int k = 0; k < kStates; ++k) {
    seg.state[k] = &states[k];
    seg.new_state[k] = &new_states[k];
  }
  const std::vector<std::int64_t> sizes(kStates, 1);
  const Shape shape({1});
  UpdateTensor<double, 1>(seg, {shape, sizes}, {}, Prepare(1), TensorTraits{});
  if (moved > 0) {
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
std::optional<EmaPlace> Optimizer<S...>::Ema() const {
  std::optional<EmaPlace> found;
  int states = 0;
  const auto look = [&]<class T>(const T& stage) {
    if constexpr (std::is_same_v<T, TrackEma>) {
      found = EmaPlace{.state = states, .decay = stage.decay};
    }
    states += T::kStates;
  };
  std::apply([&](const auto&... stage) { (look(stage), ...); }, stages_);
  return found;
}

template <Stage... S>
std::vector<FlatLayout> Optimizer<S...>::MakeStateLayouts(
    const FlatLayout& layout) const {
  std::vector<FlatLayout> layouts;
  const auto add = [&]<class T>(const T& stage) {
    for (int k = 0; k < T::kStates; ++k) {
      FlatLayout& made = layouts.emplace_back();
      for (const TensorSlot& t : layout.tensors()) {
        const Status added = made.Add(t.name, StateShapeOf(stage, k, t));
        GYRE_CHECK(added.ok(), added);
      }
    }
  };
  std::apply([&](const auto&... stage) { (add(stage), ...); }, stages_);
  return layouts;
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
template <int kWidth>
UpdateResult Optimizer<S...>::Update(const UpdateArgs& args) const {
  const FlatLayout& layout = *args.layout;
  GYRE_CHECK(args.traits.size() == layout.tensors().size(),
             "traits of another layout");
  GYRE_CHECK(
      args.from.states.size() == kStates && args.to.states.size() == kStates,
      "banks of another optimizer");
  GYRE_CHECK(args.state_layouts.size() == kStates,
             "state layouts of another optimizer");
  const Prepared prepared = Prepare(args.applied_steps);
  const SplitFactor scale = Split(args.grad_scale);
  const int end = args.end < 0 ? layout.count() : args.end;
  UpdateResult result;
  const bool windowed = args.window_count >= 0;
  GYRE_CHECK(kPointwise || !windowed, "a window of whole-tensor stages");
  for (int t = args.begin; t < end; ++t) {
    const TensorSlot& tensor = layout[t];
    std::int64_t at = tensor.offset;
    std::int64_t size = tensor.size;
    if (windowed) {
      const std::int64_t last = args.window_first + args.window_count;
      at = std::max(at, args.window_first);
      size = std::min(tensor.offset + tensor.size, last) - at;
      if (size <= 0) continue;
    }
    detail::Segment<kStates> seg{.grad = args.grads + at,
                                 .param = args.from.params + at,
                                 .new_param = args.to.params + at,
                                 .size = size};
    std::array<std::int64_t, kStates> sizes;
    for (int k = 0; k < kStates; ++k) {
      const TensorSlot& slot = args.state_layouts[k][t];
      const std::int64_t place =
          windowed ? at - args.window_first : slot.offset;
      seg.state[k] = args.from.states[k] + place;
      seg.new_state[k] = args.to.states[k] + place;
      sizes[k] = windowed ? size : slot.size;
    }
    const detail::TensorTask task{layout[t].shape, sizes};
    if (UpdateTensor<float, kWidth>(
            seg, task, scale, prepared, args.traits[t])) {
      continue;
    }
    result.Add({.non_finite = detail::CountBad(seg, task.state_sizes),
                .first_bad_tensor = t});
  }
  return result;
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_OPTIMIZER_H_

#include "gyre/train/step/layer_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/number_view.h"
#include "gyre/optim/norm.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

using optim::FlatLayout;
using optim::GlobalNorm;
using optim::NormKind;
using optim::TensorSlot;

// The root of the sum of squares of after - before.
double ChangeNorm(const float* before, const float* after, std::int64_t n) {
  std::array<float, optim::kNormBlock> change;
  double sum = 0;
  for (std::int64_t i = 0; i < n;) {
    const auto size = std::min<std::int64_t>(change.size(), n - i);
    for (std::int64_t k = 0; k < size; ++k) {
      change[k] = after[i + k] - before[i + k];
    }
    sum += optim::SumSquares(change.data(), size);
    i += size;
  }
  return std::sqrt(sum);
}

Json Norms(const FlatLayout& layout,
           const float* flat,
           NormKind kind = NormKind::kTwo,
           double factor = 1) {
  Json norms = Json::Object();
  for (const TensorSlot& slot : layout.tensors()) {
    norms.Set(slot.name,
              factor * GlobalNorm(kind, flat + slot.offset, slot.size));
  }
  return norms;
}

Json UpdateRatios(const FlatLayout& layout,
                  const float* before,
                  const float* after) {
  Json ratios = Json::Object();
  for (const TensorSlot& slot : layout.tensors()) {
    const float* old = before + slot.offset;
    const double size = GlobalNorm(old, slot.size);
    if (size == 0) continue;
    ratios.Set(slot.name,
               ChangeNorm(old, after + slot.offset, slot.size) / size);
  }
  return ratios;
}

}  // namespace

Json LayerNumbers(const TrainStep& step, const StepReport& report) {
  const TrainState& state = step.state();
  const FlatLayout& layout = state.layout();
  const StateArrays& now = state.front();
  const double factor = report.verdict.rescale / report.verdict.loss_scale;
  const float* grads = step.last().gradient.data();
  Json numbers = Json::Object();
  if (!state.shards().on()) {
    numbers.Set("grad_norm", Norms(layout, grads, NormKind::kTwo, factor))
        .Set("grad_max", Norms(layout, grads, NormKind::kMax, factor));
  }
  numbers.Set("param_norm", Norms(layout, now.params()));
  if (report.applied) {
    numbers.Set("update_ratio",
                UpdateRatios(layout, state.back().params(), now.params()));
  }
  if (state.shards().on()) return numbers;
  const std::vector<std::string> names = state.optimizer().StateNames();
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers.Set(names[i] + "_norm",
                Norms(state.state_layouts()[i], now.states()[i]));
  }
  return numbers;
}

Json LocalLayerNumbers(const TrainStep& step, const StepReport& report) {
  Json norms = Json::Object();
  const std::span<const double> squares = step.last().findings->sum_squares();
  const FlatLayout& layout = step.state().layout();
  for (int i = 0; i < layout.count(); ++i) {
    norms.Set(layout[i].name, std::sqrt(squares[i]) / report.loss_scale);
  }
  Json numbers = Json::Object();
  return numbers.Set("local_norm", std::move(norms));
}

Json ActivationNumbers(const TrainStep& step) {
  Json numbers = Json::Object();
  if (step.program().watched().empty()) return numbers;
  Json norms = Json::Object();
  Json largest = Json::Object();
  for (const WatchedResult& watched : step.program().watched()) {
    const NumberView view = step.program().ResultNumbers(watched.result);
    const auto size = std::max<std::int64_t>(view.size(), 1);
    const NumberView::Sizes sizes = view.MeasureSizes();
    norms.Set(watched.layer, std::sqrt(sizes.squares / size));
    largest.Set(watched.layer, sizes.largest);
  }
  return numbers.Set("act_norm", std::move(norms))
      .Set("act_max", std::move(largest));
}

}  // namespace gyre::internal::inline train

#include "gyre/train/checkpoint/weight_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gyre/core/half.h"
#include "gyre/train/step/state_tensors.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

template <class T>
void Widen(const Tensor& from, Tensor& to) {
  const std::span<const T> in = from.data<T>();
  std::transform(in.begin(), in.end(), to.data<float>().begin(), [](T x) {
    return static_cast<float>(x);
  });
}

// Nothing: the type is none of weights.
std::optional<Tensor> AsF32(const Tensor& t) {
  if (t.dtype() == DType::kF32) return t;
  Tensor wide(DType::kF32, t.shape());
  switch (t.dtype()) {
    case DType::kF64:
      Widen<double>(t, wide);
      return wide;
    case DType::kF16:
      Widen<Half>(t, wide);
      return wide;
    case DType::kBF16:
      Widen<BFloat16>(t, wide);
      return wide;
    default:
      return std::nullopt;
  }
}

}  // namespace

Tensor Transposed(const Tensor& t) {
  const std::int64_t rows = t.shape()[0], columns = t.shape()[1];
  Tensor turned(DType::kF32, {columns, rows});
  const float* const in = t.data<float>().data();
  float* const out = turned.data<float>().data();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      out[j * rows + i] = in[i * columns + j];
    }
  }
  return turned;
}

std::vector<Weight> WeightsOf(const TrainStep& step) {
  const StateTensors tensors = TensorsOf(step.state());
  const std::size_t buffers_at =
      step.state().front().all().size() - step.state().front().buffers().size();
  std::vector<Weight> weights;
  const auto add = [&](const std::vector<StateTensor>& list,
                       std::size_t begin) {
    for (const StateTensor& t : list) {
      weights.push_back({t.name.substr(t.name.find('/') + 1),
                         t.part,
                         begin + static_cast<std::size_t>(t.offset),
                         static_cast<std::size_t>(t.size)});
    }
  };
  add(tensors.params, 0);
  add(tensors.buffers, buffers_at);
  return weights;
}

StatusOr<Tensor> Fit(const Weight& weight,
                     const std::string& file_name,
                     const Tensor& given,
                     bool turn) {
  std::optional<Tensor> t = AsF32(given);
  if (!t.has_value()) {
    return CheckpointError("\"",
                           file_name,
                           "\" is ",
                           given.dtype(),
                           ", and weights are f32, f64, f16 or bf16");
  }
  if (turn && t->shape().rank() != 2) {
    return CheckpointError("\"",
                           file_name,
                           "\" ",
                           t->shape(),
                           " is no matrix and cannot be transposed");
  }
  if (turn) t = Transposed(*t);
  if (t->shape() == weight.part.whole) return *std::move(t);
  const bool other_way = t->shape().rank() == 2 &&
                         weight.part.whole.rank() == 2 &&
                         t->shape()[0] == weight.part.whole[1] &&
                         t->shape()[1] == weight.part.whole[0];
  return CheckpointError("\"",
                         weight.name,
                         "\" is ",
                         weight.part.whole,
                         " in the model, and \"",
                         file_name,
                         "\" is ",
                         given.shape(),
                         " in the file",
                         turn ? " before it is transposed" : "",
                         other_way ? ": WeightMap::transposed decides" : "");
}

Status PutInPlace(TrainStep& step, std::span<const float> all) {
  const optim::GuardState guard = step.state().guard();
  step.state().Restore(all, guard, step.next_step());
  GYRE_ASSIGN_OR_RETURN(const std::optional<Desync> desync, step.CheckRanks());
  if (!desync.has_value()) return OkStatus();
  return MismatchError("the ranks have read different weights: ",
                       desync->Describe());
}

}  // namespace gyre::internal::inline train

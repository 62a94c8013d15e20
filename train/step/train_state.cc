#include "gyre/train/step/train_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/core/check.h"
#include "gyre/core/finite.h"

namespace gyre::internal::inline train {
namespace {

std::int64_t KeptOf(const StateShards& shards) {
  return shards.on() ? shards.kept() : -1;
}

// The named tensor of a flat array; `what` names it in the error.
StatusOr<Tensor> CopyOut(const optim::FlatLayout& layout,
                         const float* flat,
                         std::string_view name,
                         std::string_view what) {
  const int i = layout.Find(name);
  if (i < 0) return ConfigError("the model has no ", what, " \"", name, "\"");
  Tensor copy(DType::kF32, layout[i].shape);
  std::memcpy(copy.raw(), flat + layout[i].offset, copy.bytes());
  return copy;
}

}  // namespace

StateArrays::StateArrays(const optim::FlatLayout& layout,
                         std::span<const optim::FlatLayout> states,
                         const optim::FlatLayout& buffers,
                         std::int64_t kept)
    : elements_(layout.elements()), buffer_elements_(buffers.elements()) {
  const auto elements_of = [kept](const optim::FlatLayout& state) {
    return kept < 0 ? state.elements() : kept;
  };
  for (const optim::FlatLayout& state : states) elements_ += elements_of(state);
  memory_ = AllocateAligned((elements_ + buffer_elements_) * sizeof(float));
  GYRE_CHECK(memory_ != nullptr, "no memory for the optimizer's state");
  auto* next = reinterpret_cast<float*>(memory_.get());
  arrays_.push_back(next);
  next += layout.elements();
  for (const optim::FlatLayout& state : states) {
    arrays_.push_back(next);
    const_states_.push_back(next);
    next += elements_of(state);
  }
}

TrainState::TrainState(Mesh mesh,
                       optim::FlatLayout layout,
                       optim::FlatLayout buffers,
                       std::vector<TensorMesh> tensors,
                       optim::AnyOptimizer optimizer,
                       bool shard_states)
    : mesh_(std::move(mesh)),
      layout_(std::move(layout)),
      buffers_(std::move(buffers)),
      sync_(mesh_, layout_, std::move(tensors)),
      shards_(shard_states ? StateShards(mesh_, sync_) : StateShards()),
      optimizer_(std::move(optimizer)),
      traits_(optimizer_.MakeTraits(layout_)),
      state_layouts_(optimizer_.MakeStateLayouts(layout_)),
      arrays_{StateArrays(layout_, state_layouts_, buffers_, KeptOf(shards_)),
              StateArrays(layout_, state_layouts_, buffers_, KeptOf(shards_))} {
}

void TrainState::SetRateFactor(double factor) {
  rate_factor_ = factor;
  traits_ = optimizer_.MakeTraits(layout_);
  if (factor == 1) return;
  for (optim::TensorTraits& t : traits_) {
    t.lr_scale *= static_cast<float>(factor);
  }
}

Status TrainState::Commit(const optim::Verdict& verdict) {
  applied_ = verdict.applies();
  if (applied_) front_ = 1 - front_;
  ++next_step_;
  guard_before_ = guard_;
  return guard_.AfterStep(verdict, optimizer_.guard(), layout_);
}

void TrainState::Restore(std::span<const float> all,
                         const optim::GuardState& guard,
                         std::int64_t next_step) {
  GYRE_CHECK(all.size() == front().all().size());
  std::copy(all.begin(), all.end(), front().params());
  guard_ = guard;
  next_step_ = next_step;
  ++restores_;
}

StatusOr<Tensor> TrainState::Parameter(std::string_view name) const {
  return CopyOut(layout_, front().params(), name, "parameter");
}

StatusOr<Tensor> TrainState::Buffer(std::string_view name) const {
  return CopyOut(buffers_, front().buffers().data(), name, "buffer");
}

bool TrainState::ParamsFinite() const {
  return CountNonFinite(front().params(), layout_.elements()) == 0;
}

}  // namespace gyre::internal::inline train

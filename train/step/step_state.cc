#include "gyre/train/step/step_state.h"

#include <utility>

#include "gyre/core/check.h"

namespace gyre::internal::inline train {
namespace {

std::int64_t KeptOf(const StateShards& shards) {
  return shards.on() ? shards.kept() : -1;
}

}  // namespace

StateBank::StateBank(const optim::FlatLayout& layout,
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

StepState::StepState(Mesh m,
                     optim::FlatLayout l,
                     optim::FlatLayout b,
                     std::vector<TensorMesh> tensors,
                     optim::AnyOptimizer o,
                     std::shared_ptr<StepFaults> f,
                     float* g,
                     int micro_batches,
                     bool shard_states)
    : mesh(std::move(m)),
      layout(std::move(l)),
      buffers(std::move(b)),
      sync(mesh, layout, std::move(tensors)),
      shards(shard_states ? StateShards(mesh, sync) : StateShards()),
      optimizer(std::move(o)),
      traits(optimizer.MakeTraits(layout)),
      state_layouts(optimizer.MakeStateLayouts(layout)),
      faults(std::move(f)),
      grads(g),
      banks{StateBank(layout, state_layouts, buffers, KeptOf(shards)),
            StateBank(layout, state_layouts, buffers, KeptOf(shards))},
      findings(layout),
      part_hashes(sync.part_sets().size()) {
  if (shards.on()) {
    staging = AllocateAligned(shards.largest() * sizeof(float));
    GYRE_CHECK(staging != nullptr, "no memory for a part of the gradient");
  }
  micro.count = micro_batches;
  if (!micro.several()) return;
  micro.sum = AllocateAligned(layout.bytes());
  micro.buffers = AllocateAligned(buffers.bytes());
  GYRE_CHECK(micro.sum != nullptr && micro.buffers != nullptr,
             "no memory for the sum of micro-batches");
}

}  // namespace gyre::internal::inline train

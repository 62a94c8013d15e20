#include "train/step_state.h"

#include <utility>

#include "core/check.h"

namespace gyre {

StateBank::StateBank(const optim::FlatLayout& layout,
                     std::span<const optim::FlatLayout> states,
                     const optim::FlatLayout& buffers)
    : elements_(layout.elements()), buffer_elements_(buffers.elements()) {
  for (const optim::FlatLayout& state : states) elements_ += state.elements();
  memory_ = AllocateAligned((elements_ + buffer_elements_) * sizeof(float));
  GYRE_CHECK(memory_ != nullptr, "no memory for the optimizer's state");
  auto* next = reinterpret_cast<float*>(memory_.get());
  arrays_.push_back(next);
  next += layout.elements();
  for (const optim::FlatLayout& state : states) {
    arrays_.push_back(next);
    const_states_.push_back(next);
    next += state.elements();
  }
}

StepState::StepState(Mesh m,
                     optim::FlatLayout l,
                     optim::FlatLayout b,
                     std::vector<TensorMesh> tensors,
                     optim::AnyOptimizer o,
                     std::shared_ptr<StepFaults> f,
                     float* g,
                     int micro_batches)
    : mesh(std::move(m)),
      layout(std::move(l)),
      buffers(std::move(b)),
      sync(mesh, layout, std::move(tensors)),
      optimizer(std::move(o)),
      traits(optimizer.MakeTraits(layout)),
      state_layouts(optimizer.MakeStateLayouts(layout)),
      faults(std::move(f)),
      grads(g),
      banks{StateBank(layout, state_layouts, buffers),
            StateBank(layout, state_layouts, buffers)},
      findings(layout),
      part_hashes(sync.part_sets().size()) {
  micro.count = micro_batches;
  if (!micro.several()) return;
  micro.sum = AllocateAligned(layout.bytes());
  micro.buffers = AllocateAligned(buffers.bytes());
  GYRE_CHECK(micro.sum != nullptr && micro.buffers != nullptr,
             "no memory for the sum of micro-batches");
}

}  // namespace gyre

#include "train/step_state.h"

#include <utility>

#include "core/check.h"

namespace gyre {

StateBank::StateBank(const optim::FlatLayout& layout,
                     int states,
                     const optim::FlatLayout& buffers)
    : memory_(AllocateAligned(layout.bytes() * (states + 1) + buffers.bytes())),
      elements_(layout.elements()),
      buffer_elements_(buffers.elements()) {
  GYRE_CHECK(memory_ != nullptr, "no memory for the optimizer's state");
  auto* base = reinterpret_cast<float*>(memory_.get());
  for (int i = 0; i <= states; ++i) {
    arrays_.push_back(base + i * elements_);
    if (i > 0) const_states_.push_back(arrays_.back());
  }
}

StepState::StepState(Mesh m,
                     optim::FlatLayout l,
                     optim::FlatLayout b,
                     optim::AnyOptimizer o,
                     FaultPlan f,
                     float* g)
    : mesh(std::move(m)),
      layout(std::move(l)),
      buffers(std::move(b)),
      optimizer(std::move(o)),
      traits(optimizer.MakeTraits(layout)),
      faults(std::move(f)),
      grads(g),
      banks{StateBank(layout, optimizer.num_states(), buffers),
            StateBank(layout, optimizer.num_states(), buffers)},
      findings(layout) {}

}  // namespace gyre

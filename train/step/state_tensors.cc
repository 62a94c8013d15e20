#include "gyre/train/step/state_tensors.h"

#include <utility>

namespace gyre::internal::inline train {
namespace {

StateTensor Make(const std::string& kind, const optim::TensorSlot& slot) {
  return {.name = kind + "/" + slot.name,
          .shape = slot.shape,
          .part = {.whole = slot.shape},
          .offset = slot.offset,
          .size = slot.size};
}

}  // namespace

StateTensors TensorsOf(const TrainState& state) {
  const optim::FlatLayout& layout = state.layout();
  const GradientSync& sync = state.sync();
  const std::span<const optim::FlatLayout> states = state.state_layouts();
  StateTensors all;
  for (int i = 0; i < layout.count(); ++i) {
    StateTensor& tensor = all.params.emplace_back(Make("params", layout[i]));
    const PartSpec& part = sync.tensor(i).part;
    if (part.is_part()) tensor.part = part;
  }
  const std::vector<std::string> names = state.optimizer().StateNames();
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::vector<StateTensor>& tensors = all.states.emplace_back();
    for (const optim::TensorSlot& slot : states[k].tensors()) {
      StateTensor& tensor =
          tensors.emplace_back(Make("state/" + names[k], slot));
      const int i = layout.Find(slot.name);
      if (i < 0 || !sync.tensor(i).part.is_part()) continue;
      if (slot.shape == layout[i].shape) {
        tensor.part = sync.tensor(i).part;
      } else {
        tensor.part.axes = sync.tensor(i).part.axes;
        tensor.cannot_join = true;
      }
    }
  }
  for (const optim::TensorSlot& slot : state.buffer_layout().tensors()) {
    all.buffers.push_back(Make("buffers", slot));
  }
  return all;
}

}  // namespace gyre::internal::inline train

#include "gyre/optim/layout.h"

#include <algorithm>
#include <utility>

#include "gyre/core/finite.h"

namespace gyre::optim {

using namespace internal;

Status FlatLayout::Add(std::string name, Shape shape, double lr_scale) {
  if (name.empty()) {
    return ConfigError("a parameter needs a name; got none for shape ", shape);
  }
  if (Find(name) >= 0) {
    return ConfigError("two parameters are called \"",
                       name,
                       "\": give each layer its own prefix");
  }
  if (Status s = shape.Validate(); !s.ok()) {
    return Annotate(s, Cat("parameter \"", name, "\": "));
  }
  if (!IsFinite(lr_scale) || lr_scale < 0) {
    return ConfigError("parameter \"",
                       name,
                       "\": lr_scale must be finite and not negative, got ",
                       lr_scale);
  }
  const std::int64_t size = shape.elements();
  tensors_.push_back({.name = std::move(name),
                      .shape = std::move(shape),
                      .offset = elements_,
                      .size = size,
                      .lr_scale = lr_scale});
  elements_ += static_cast<std::int64_t>(AlignUp(size, kAlign));
  used_ += size;
  return OkStatus();
}

int FlatLayout::Find(std::string_view name) const {
  for (int i = 0; i < count(); ++i) {
    if (tensors_[i].name == name) return i;
  }
  return -1;
}

int FlatLayout::TensorAt(std::int64_t element) const {
  // The last tensor that begins at or before the element.
  const auto after = std::upper_bound(
      tensors_.begin(),
      tensors_.end(),
      element,
      [](std::int64_t e, const TensorSlot& t) { return e < t.offset; });
  if (after == tensors_.begin()) return -1;
  const TensorSlot& slot = *(after - 1);
  if (element >= slot.offset + slot.size) return -1;
  return static_cast<int>(after - tensors_.begin()) - 1;
}

std::string FlatLayout::Describe() const {
  std::string text;
  for (const TensorSlot& t : tensors_) {
    text += Cat(t.name, " ", t.shape, " @", t.offset);
    if (t.lr_scale != 1) text += Cat(" lr*", t.lr_scale);
    text += "\n";
  }
  return text;
}

}  // namespace gyre::optim

// Where each tensor lives in a flat array: parameters, gradients and every
// optimizer state share one layout.
//
//   FlatLayout layout;
//   GYRE_RETURN_IF_ERROR(layout.Add("encoder.w", {64, 128}));
//   GYRE_RETURN_IF_ERROR(layout.Add("encoder.b", {64}));
//   AllocateAligned(layout.bytes());
//
// Each tensor begins on a 64-byte boundary. The elements between its end and
// the next tensor are padding: zero in every array, for ever, and never
// counted.
//
// WARNING 1: offsets follow the order of Add: ranks that add in another order
// hold other layouts. Compare Describe().

#ifndef GYRE_OPTIM_LAYOUT_H_
#define GYRE_OPTIM_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre::optim {

struct TensorSlot {
  std::string name;
  Shape shape;
  std::int64_t offset = 0;  // in elements
  std::int64_t size = 0;    // in elements, without padding
  double lr_scale = 1;      // multiplies the learning rate of this tensor
};

class FlatLayout {
 public:
  static constexpr std::int64_t kAlign = internal::kAlignment / sizeof(float);

  // Errors: an empty or repeated name, a bad shape, a scale that is negative
  // or not finite.
  Status Add(std::string name, Shape shape, double lr_scale = 1);

  // Adds padding: a multiple of kAlign.
  void Pad(std::int64_t elements) { elements_ += elements; }

  std::span<const TensorSlot> tensors() const { return tensors_; }
  int count() const { return static_cast<int>(tensors_.size()); }
  const TensorSlot& operator[](int i) const { return tensors_[i]; }

  // Length of a flat array, padding included.
  std::int64_t elements() const { return elements_; }
  std::size_t bytes() const { return elements_ * sizeof(float); }
  // Elements that are not padding.
  std::int64_t used() const { return used_; }

  // The index of the tensor, or -1.
  int Find(std::string_view name) const;
  // The tensor that holds the element, or -1 for padding and outside.
  int TensorAt(std::int64_t element) const;

  // One line a tensor: "encoder.w (64, 128) @0". For fingerprints.
  std::string Describe() const;

 private:
  std::vector<TensorSlot> tensors_;
  std::int64_t elements_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_LAYOUT_H_

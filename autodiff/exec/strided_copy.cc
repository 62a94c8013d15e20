#include "gyre/autodiff/exec/strided_copy.h"

#include <array>
#include <cstring>

#include "gyre/core/shape.h"

namespace gyre::internal::inline autodiff {
namespace {

template <class Word>
void CopyWords(const std::byte* in,
               std::byte* out,
               std::int64_t n,
               std::int64_t in_step,
               std::int64_t out_step) {
  for (std::int64_t i = 0; i < n; ++i) {
    Word word;
    std::memcpy(&word, in + i * in_step, sizeof word);
    std::memcpy(out + i * out_step, &word, sizeof word);
  }
}

}  // namespace

StridedCopy::StridedCopy(std::vector<std::int64_t> extents,
                         std::vector<std::int64_t> in_strides,
                         std::vector<std::int64_t> out_strides,
                         std::int64_t in_offset,
                         std::int64_t out_offset,
                         std::size_t element_bytes)
    : inner_{1, 0, 0}, element_(element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  in_offset_ = in_offset * bytes;
  out_offset_ = out_offset * bytes;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) empty_ = true;
    if (extents[i] == 1) continue;
    const Axis axis{extents[i], in_strides[i] * bytes, out_strides[i] * bytes};
    // The axis before this one steps over exactly this one's span: merge.
    if (!axes.empty() && axes.back().in == axis.in * axis.extent &&
        axes.back().out == axis.out * axis.extent) {
      axes.back() = {axes.back().extent * axis.extent, axis.in, axis.out};
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.push_back({1, bytes, bytes});
  inner_ = axes.back();
  axes.pop_back();
  outer_ = std::move(axes);
}

void StridedCopy::CopyInner(const std::byte* in, std::byte* out) const {
  const auto bytes = static_cast<std::int64_t>(element_);
  if (inner_.in == bytes && inner_.out == bytes) {
    std::memcpy(out, in, inner_.extent * bytes);
    return;
  }
  switch (element_) {
    case 1:
      return CopyWords<std::uint8_t>(
          in, out, inner_.extent, inner_.in, inner_.out);
    case 2:
      return CopyWords<std::uint16_t>(
          in, out, inner_.extent, inner_.in, inner_.out);
    case 4:
      return CopyWords<std::uint32_t>(
          in, out, inner_.extent, inner_.in, inner_.out);
    default:
      return CopyWords<std::uint64_t>(
          in, out, inner_.extent, inner_.in, inner_.out);
  }
}

void StridedCopy::Run(const void* in, void* out) const {
  if (empty_) return;
  const std::byte* from = static_cast<const std::byte*>(in) + in_offset_;
  std::byte* to = static_cast<std::byte*>(out) + out_offset_;
  std::array<std::int64_t, Shape::kMaxRank> index{};
  for (;;) {
    CopyInner(from, to);
    int axis = static_cast<int>(outer_.size()) - 1;
    for (; axis >= 0; --axis) {
      from += outer_[axis].in;
      to += outer_[axis].out;
      if (++index[axis] < outer_[axis].extent) break;
      from -= outer_[axis].in * outer_[axis].extent;
      to -= outer_[axis].out * outer_[axis].extent;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace gyre::internal::inline autodiff

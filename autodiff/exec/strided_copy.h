// Copies between strided blocks of memory: what transpose, slice, pad,
// broadcast and concat come down to.

#ifndef GYRE_AUTODIFF_EXEC_STRIDED_COPY_H_
#define GYRE_AUTODIFF_EXEC_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gyre::internal::inline autodiff {

// Prepared once: neighbouring axes that are contiguous together are merged.
class StridedCopy {
 public:
  // Element [i0, i1, ...] of the extents moves from
  //   in + sum(i * in_strides)  to  out + sum(i * out_strides),
  // strides and offsets counted in elements of `element_bytes`.
  StridedCopy(std::vector<std::int64_t> extents,
              std::vector<std::int64_t> in_strides,
              std::vector<std::int64_t> out_strides,
              std::int64_t in_offset,
              std::int64_t out_offset,
              std::size_t element_bytes);

  void Run(const void* in, void* out) const;

 private:
  struct Axis {
    std::int64_t extent;
    std::int64_t in;   // bytes
    std::int64_t out;  // bytes
  };
  void CopyInner(const std::byte* in, std::byte* out) const;

  std::vector<Axis> outer_;
  Axis inner_;
  std::int64_t in_offset_;
  std::int64_t out_offset_;
  std::size_t element_;
  bool empty_ = false;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_STRIDED_COPY_H_

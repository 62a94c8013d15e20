// Memory on 64-byte boundaries: a cache line, and any vector of the machine.

#ifndef GYRE_CORE_ALIGNED_H_
#define GYRE_CORE_ALIGNED_H_

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace gyre::internal::inline core {

inline constexpr std::size_t kAlignment = 64;

constexpr std::size_t AlignUp(std::size_t bytes,
                              std::size_t alignment = kAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

struct AlignedFree {
  void operator()(std::byte* p) const { std::free(p); }
};
using AlignedBuffer = std::unique_ptr<std::byte[], AlignedFree>;

// At least `bytes` zeroed bytes, rounded up to whole lines, so that a kernel
// may read the rest of the last vector. Null when the machine has no more.
AlignedBuffer AllocateAligned(std::size_t bytes);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_ALIGNED_H_

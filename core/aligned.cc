#include "core/aligned.h"

#include <algorithm>
#include <cstring>

namespace gyre {

AlignedBuffer AllocateAligned(std::size_t bytes) {
  const std::size_t size = AlignUp(std::max<std::size_t>(bytes, 1));
  void* memory = std::aligned_alloc(kAlignment, size);
  if (memory != nullptr) std::memset(memory, 0, size);
  return AlignedBuffer(static_cast<std::byte*>(memory));
}

}  // namespace gyre

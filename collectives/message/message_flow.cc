#include "collectives/message/message_flow.h"

namespace gyre {

StatusOr<std::byte*> StageBuffer::Get(std::size_t bytes) {
  if (bytes <= bytes_ && buffer_ != nullptr) return buffer_.get();
  buffer_ = nullptr;
  bytes_ = 0;
  buffer_ = AllocateAligned(bytes);
  if (buffer_ == nullptr) {
    return ConfigError("a collective needs ",
                       bytes,
                       " bytes beside its buffers, and this process gets no "
                       "more memory");
  }
  bytes_ = bytes;
  return buffer_.get();
}

}  // namespace gyre

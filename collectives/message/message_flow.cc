#include "gyre/collectives/message/message_flow.h"

#include <algorithm>

namespace gyre::internal::inline collectives {

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

void HeadRound::Start(const MessageContext& context) {
  for (int i = 1; i < context.size(); ++i) {
    const int peer = (context.me() + i) % context.size();
    bodies_.emplace_back(nullptr, 0);
    entries_.emplace_back(context.roll, peer, &bodies_.back());
    context.channel->Receive(peer, &entries_.back());
    context.channel->Send(peer, BytesOf(context.roll->mine()), {});
  }
}

std::size_t WholeLines(std::size_t bytes) {
  return std::max(bytes / kAlignment, std::size_t{1}) * kAlignment;
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/two_level/host_link.h"

#include <cstring>

namespace gyre::internal::inline collectives {

void HostLink::Expect(int messages, BodySink* partials, BodySink* result) {
  missing_ = messages;
  staged_ = false;
  partials_ = partials;
  result_ = result;
}

Status HostLink::OnHead(std::span<const std::byte> bytes,
                        std::size_t body_bytes) {
  PartHead head;
  const PartHead good;
  const bool whole = bytes.size() == sizeof head;
  if (whole) std::memcpy(&head, bytes.data(), sizeof head);
  body_ = nullptr;
  if (whole && head.magic == good.magic && head.sequence == sequence_) {
    switch (head.kind) {
      case PartHead::kPartial:
        body_ = partials_;
        break;
      case PartHead::kResult:
        body_ = result_;
        break;
      case PartHead::kStaged:
        staged_ = true;
        break;
      case PartHead::kReady:
        if (head.index < ready_->size()) (*ready_)[head.index] = true;
        break;
      default:
        break;
    }
    if (body_bytes == (body_ == nullptr ? 0 : body_->bytes())) {
      return OkStatus();
    }
  }
  return InternalError("a message of rank ",
                       from_,
                       " (",
                       body_bytes,
                       " bytes) does not belong to collective #",
                       sequence_,
                       ": it is damaged, or from another build of the program");
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/message/message_sinks.h"

#include <cstring>

namespace gyre::internal::inline collectives {
namespace {

Status WrongBytes(int from, std::size_t came, std::size_t expected) {
  return InternalError("a message of rank ",
                       from,
                       " has ",
                       came,
                       " bytes where ",
                       expected,
                       " were expected");
}

}  // namespace

Status EntrySink::OnHead(std::span<const std::byte> bytes,
                         std::size_t body_bytes) {
  GYRE_ASSIGN_OR_RETURN(const CallHead head,
                        ParseCallHead(bytes, roll_->world_rank(from_)));
  roll_->Add(from_, head);
  if (roll_->Agrees(from_) && body_bytes != body_->bytes()) {
    return WrongBytes(roll_->world_rank(from_), body_bytes, body_->bytes());
  }
  return OkStatus();
}

std::byte* EntrySink::Destination() {
  return roll_->Agrees(from_) ? body_->At(0) : nullptr;
}

void EntrySink::OnBody(std::size_t offset, std::span<const std::byte> piece) {
  if (roll_->Agrees(from_)) body_->Take(offset, piece);
}

std::span<const std::byte> BytesOf(const PartHead& head) {
  return std::as_bytes(std::span(&head, 1));
}

Status PartSink::OnHead(std::span<const std::byte> bytes,
                        std::size_t body_bytes) {
  PartHead head;
  if (bytes.size() == sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
  }
  if (bytes.size() != sizeof head || head != next_) {
    return InternalError("a message of rank ",
                         from_,
                         " is not the next part of collective #",
                         next_.sequence,
                         ": it is damaged, or from another build of the "
                         "program");
  }
  start_ = body_->arrived();
  if (body_bytes > body_->bytes() - start_) {
    return WrongBytes(from_, body_bytes, body_->bytes() - start_);
  }
  ++next_.index;
  return OkStatus();
}

Status LinkSink::OnHead(std::span<const std::byte> bytes,
                        std::size_t body_bytes) {
  PartHead head;
  if (bytes.size() == sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
  }
  now_ = head.kind == PartHead::kPartial ? partials_ : results_;
  if (now_ == nullptr) {
    return InternalError("rank ", from_, " sent what nobody waits for");
  }
  return now_->OnHead(bytes, body_bytes);
}

}  // namespace gyre::internal::inline collectives

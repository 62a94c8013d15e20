#include "gyre/collectives/grpc/message_frame.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gyre::internal::inline collectives {
namespace {

void Unpin(void* in_use) {
  static_cast<std::atomic<int>*>(in_use)->fetch_sub(1);
}

::grpc::Slice Pinned(std::span<const std::byte> bytes,
                     std::atomic<int>& in_use) {
  in_use.fetch_add(1);
  // gRPC asks for a writable pointer, and only reads.
  void* const data = const_cast<std::byte*>(bytes.data());
  return ::grpc::Slice(data, bytes.size(), Unpin, &in_use);
}

}  // namespace

OutgoingMessage::OutgoingMessage(std::span<const std::byte> head,
                                 std::span<const std::byte> body)
    : body_(body) {
  FrameHead frame;
  frame.head_bytes = static_cast<std::uint32_t>(head.size());
  frame.body_bytes = body.size();
  const bool copied = body.size() <= kCopiedBodyBytes;
  start_.reserve(sizeof frame + head.size() + (copied ? body.size() : 0));
  start_.append(reinterpret_cast<const char*>(&frame), sizeof frame);
  start_.append(reinterpret_cast<const char*>(head.data()), head.size());
  if (copied) {
    start_.append(reinterpret_cast<const char*>(body.data()), body.size());
    body_ = {};
  }
}

bool OutgoingMessage::DropBody() {
  const bool cut = sent_ < body_.size();
  body_ = body_.first(sent_);
  return cut;
}

::grpc::ByteBuffer OutgoingMessage::NextChunk(std::atomic<int>& in_use) {
  ::grpc::Slice slices[2];
  std::size_t n = 0;
  std::size_t room = kChunkBytes;
  if (!started_) {
    slices[n++] = ::grpc::Slice(start_.data(), start_.size());
    room -= std::min(room, start_.size());
    started_ = true;
  }
  const std::size_t bytes = std::min(room, body_.size() - sent_);
  if (bytes > 0) slices[n++] = Pinned(body_.subspan(sent_, bytes), in_use);
  sent_ += bytes;
  return ::grpc::ByteBuffer(slices, n);
}

StatusOr<bool> IncomingMessage::Take(const ::grpc::ByteBuffer& chunk,
                                     MessageSink* sink) {
  std::vector<::grpc::Slice> slices;
  if (!chunk.Dump(&slices).ok()) {
    return InternalError("a chunk of a message cannot be read");
  }
  for (const ::grpc::Slice& slice : slices) {
    GYRE_RETURN_IF_ERROR(TakePiece(
        {reinterpret_cast<const std::byte*>(slice.begin()), slice.size()},
        sink));
  }
  if (sink_ == nullptr) {
    return InternalError("a message began with a chunk of ",
                         chunk.Length(),
                         " bytes, less than its head");
  }
  if (received_ < frame_.body_bytes) return false;
  sink_->OnEnd();
  sink_ = nullptr;
  return true;
}

Status IncomingMessage::TakePiece(std::span<const std::byte> piece,
                                  MessageSink* sink) {
  if (sink_ == nullptr) GYRE_RETURN_IF_ERROR(TakeStart(piece, sink));
  return piece.empty() ? OkStatus() : TakeBody(piece);
}

// Slices may cut the head anywhere: it is put together first.
Status IncomingMessage::TakeStart(std::span<const std::byte>& piece,
                                  MessageSink* sink) {
  const auto fill = [&](std::size_t size) {
    const std::size_t n = std::min(piece.size(), size - start_.size());
    start_.append(reinterpret_cast<const char*>(piece.data()), n);
    piece = piece.subspan(n);
    return start_.size() == size;
  };
  if (start_.size() < sizeof frame_) {
    if (!fill(sizeof frame_)) return OkStatus();
    std::memcpy(&frame_, start_.data(), sizeof frame_);
    if (frame_.magic != FrameHead::kMagic ||
        frame_.head_bytes > kMaxHeadBytes) {
      return InternalError("what came is no message of Gyre");
    }
  }
  if (!fill(sizeof frame_ + frame_.head_bytes)) return OkStatus();
  const std::span<const char> head =
      std::span<const char>(start_).subspan(sizeof frame_);
  GYRE_RETURN_IF_ERROR(sink->OnHead(std::as_bytes(head), frame_.body_bytes));
  sink_ = sink;
  destination_ = sink->Destination();
  received_ = 0;
  start_.clear();
  return OkStatus();
}

Status IncomingMessage::TakeBody(std::span<const std::byte> piece) {
  if (piece.size() > frame_.body_bytes - received_) {
    return InternalError("a message is longer than the ",
                         frame_.body_bytes,
                         " bytes that its head told");
  }
  if (destination_ != nullptr) {
    std::byte* const to = destination_ + received_;
    std::memcpy(to, piece.data(), piece.size());
    piece = {to, piece.size()};
  }
  sink_->OnBody(received_, piece);
  received_ += piece.size();
  return OkStatus();
}

}  // namespace gyre::internal::inline collectives

// How a message (collectives/message/channel.h) travels on a gRPC stream: as
// one or more chunks, each a gRPC message of its own.
//
//   first chunk   FrameHead, head, start of the body
//   others        the next bytes of the body
//
// Chunks of 1 MiB: smaller ones pay a round trip each (the connection's
// window), larger ones wait for the whole before the receiver adds any of it.

#ifndef GYRE_COLLECTIVES_GRPC_MESSAGE_FRAME_H_
#define GYRE_COLLECTIVES_GRPC_MESSAGE_FRAME_H_

#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gyre/collectives/message/channel.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// A body up to this is copied into its chunk: less than a reference costs.
inline constexpr std::size_t kCopiedBodyBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMaxHeadBytes = std::size_t{64} << 10;

// As it lies in the chunk. All ranks are little-endian (the roster refuses
// other instruction sets).
struct FrameHead {
  static constexpr std::uint32_t kMagic = 0x4d657947;  // "GyeM"
  std::uint32_t magic = kMagic;
  std::uint32_t head_bytes = 0;
  std::uint64_t body_bytes = 0;
};

class OutgoingMessage {
 public:
  OutgoingMessage(std::span<const std::byte> head,
                  std::span<const std::byte> body);

  bool started() const { return started_; }
  // The body will not follow: the peer gets the head, and waits in vain for
  // the rest. False when there is no such rest.
  bool DropBody();
  bool finished() const { return started_ && sent_ == body_.size(); }
  // `in_use` counts the references to the body that gRPC still holds; it must
  // outlive them.
  ::grpc::ByteBuffer NextChunk(std::atomic<int>& in_use);

 private:
  std::string start_;  // FrameHead and head
  std::span<const std::byte> body_;
  std::size_t sent_ = 0;
  bool started_ = false;
};

// Takes chunks apart. A chunk belongs to one message.
class IncomingMessage {
 public:
  // The next chunk starts a message, and needs a sink.
  bool at_start() const { return sink_ == nullptr; }

  // `sink` is that of the message, for its first chunk. True when the message
  // is complete. Errors: no frame of ours, or refused by the sink.
  StatusOr<bool> Take(const ::grpc::ByteBuffer& chunk, MessageSink* sink);

 private:
  Status TakePiece(std::span<const std::byte> piece, MessageSink* sink);
  Status TakeStart(std::span<const std::byte>& piece, MessageSink* sink);
  Status TakeBody(std::span<const std::byte> piece);

  MessageSink* sink_ = nullptr;
  std::byte* destination_ = nullptr;
  std::string start_;
  FrameHead frame_;
  std::size_t received_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_MESSAGE_FRAME_H_

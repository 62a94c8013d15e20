#include "gyre/collectives/grpc/message_frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/transport_checks.h"

namespace gyre::internal::inline tests {
namespace {

// All chunks of a message, into a sink, cut into slices of `piece` bytes.
Status Pass(OutgoingMessage message, std::size_t piece, MessageSink* sink) {
  std::atomic<int> in_use = 0;
  IncomingMessage incoming;
  bool complete = false;
  while (!message.finished()) {
    const ::grpc::ByteBuffer chunk = message.NextChunk(in_use);
    std::vector<::grpc::Slice> whole;
    EXPECT_TRUE(chunk.Dump(&whole).ok());
    std::vector<::grpc::Slice> cut;
    for (const ::grpc::Slice& slice : whole) {
      for (std::size_t at = 0; at < slice.size(); at += piece) {
        cut.push_back(slice.sub(at, std::min(slice.size(), at + piece)));
      }
    }
    GYRE_ASSIGN_OR_RETURN(
        complete,
        incoming.Take(::grpc::ByteBuffer(cut.data(), cut.size()), sink));
  }
  if (!complete) return InternalError("no end");
  return OkStatus();
}

TEST(MessageFrame, SlicesMayCutAnywhere) {
  const Bytes head = TestHead(1, 2, 3);
  for (const std::size_t size : {std::size_t{0},
                                 std::size_t{1},
                                 kCopiedBodyBytes,
                                 kCopiedBodyBytes + 1,
                                 kChunkBytes + 5,
                                 3 * kChunkBytes}) {
    const Bytes body = MakeInput(DType::kU8, 1, size);
    for (const std::size_t piece : {std::size_t{1},
                                    std::size_t{7},
                                    std::size_t{8192},
                                    std::size_t{1} << 30}) {
      if (piece == 1 && size > kChunkBytes) continue;  // slow
      for (const bool by_pieces : {false, true}) {
        KeepingSink sink(by_pieces);
        EXPECT_EQ(Pass({std::as_bytes(std::span(head)),
                        std::as_bytes(std::span(body))},
                       piece,
                       &sink),
                  OkStatus());
        EXPECT_EQ(sink.Check(head, body), OkStatus());
      }
    }
  }
}

TEST(MessageFrame, BodiesAreReferencedUntilTheChunkIsGone) {
  const std::vector<std::byte> body(kCopiedBodyBytes + 1);
  std::atomic<int> in_use = 0;
  OutgoingMessage message({}, body);
  {
    const ::grpc::ByteBuffer chunk = message.NextChunk(in_use);
    EXPECT_EQ(in_use, 1);
  }
  EXPECT_EQ(in_use, 0);
  EXPECT_TRUE(message.finished());
}

TEST(MessageFrame, ADroppedBodyLeavesTheHead) {
  const std::vector<std::byte> large(kCopiedBodyBytes + 1);
  OutgoingMessage message({}, large);
  EXPECT_TRUE(message.DropBody());
  std::atomic<int> in_use = 0;
  EXPECT_EQ(message.NextChunk(in_use).Length(), sizeof(FrameHead));
  EXPECT_TRUE(message.finished());
  // A copied body is part of what is sent first.
  EXPECT_FALSE(OutgoingMessage({}, std::span(large).first(10)).DropBody());
}

TEST(MessageFrame, OtherBytesAreErrors) {
  const auto take = [](const std::string& bytes) {
    const ::grpc::Slice slice(bytes.data(), bytes.size());
    KeepingSink sink(true);
    return IncomingMessage().Take(::grpc::ByteBuffer(&slice, 1), &sink);
  };
  FrameHead frame;
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(&frame), sizeof frame);
  };
  EXPECT_TRUE(take(text()).ok());
  EXPECT_FALSE(take("").ok());
  EXPECT_FALSE(take(std::string(sizeof frame, 'x')).ok());
  EXPECT_FALSE(take(text().substr(1)).ok());
  EXPECT_FALSE(take(text() + "more").ok());
  frame.head_bytes = kMaxHeadBytes + 1;
  EXPECT_FALSE(take(text()).ok());
  frame.head_bytes = 5;
  EXPECT_FALSE(take(text() + "four").ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

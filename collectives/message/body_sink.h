// Where the bodies of messages go: to memory, or into a sum as they come.

#ifndef GYRE_COLLECTIVES_MESSAGE_BODY_SINK_H_
#define GYRE_COLLECTIVES_MESSAGE_BODY_SINK_H_

#include <array>
#include <cstddef>
#include <span>

#include "gyre/core/dtype.h"
#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline collectives {

// Takes `bytes` bytes, in one message or in several.
class BodySink {
 public:
  explicit BodySink(std::size_t bytes) : bytes_(bytes) {}
  virtual ~BodySink() = default;

  // Where the byte at `offset` of all belongs; null: nowhere as it is.
  virtual std::byte* At(std::size_t offset) = 0;
  virtual void Take(std::size_t offset, std::span<const std::byte> piece);

  std::size_t bytes() const { return bytes_; }
  // So far, from the front.
  std::size_t arrived() const { return arrived_; }
  bool complete() const { return arrived_ == bytes_; }

 private:
  std::size_t bytes_;
  std::size_t arrived_ = 0;
};

class MemoryBody final : public BodySink {
 public:
  MemoryBody(std::byte* to, std::size_t bytes) : BodySink(bytes), to_(to) {}
  std::byte* At(std::size_t offset) override { return to_ + offset; }

 private:
  std::byte* to_;
};

// The reduction of this rank's elements with one peer's, straight from the
// pieces that come.
class PairBody final : public BodySink {
 public:
  struct Pair {
    DType dtype;
    ReduceOp op;
    const std::byte* mine;
    std::byte* out;  // may be `mine`
    bool mine_first;
  };
  PairBody(const Pair& pair, std::size_t bytes)
      : BodySink(bytes), pair_(pair) {}

  std::byte* At(std::size_t) override { return nullptr; }
  void Take(std::size_t offset, std::span<const std::byte> piece) override;

  // Bytes of `out` that are final.
  std::size_t reduced() const { return reduced_; }

 private:
  void ReduceElements(const std::byte* theirs, std::size_t count);

  Pair pair_;
  std::size_t reduced_ = 0;
  // The beginning of an element that two pieces share.
  std::array<std::byte, 16> cut_ = {};
  std::size_t cut_bytes_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_BODY_SINK_H_

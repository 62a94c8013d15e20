// What one peer sends during a two-level reduction, in whatever order.

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_HOST_LINK_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_HOST_LINK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gyre/collectives/message/message_sinks.h"

namespace gyre::internal::inline collectives {

class HostLink final : public MessageSink {
 public:
  // `ready` gets the parts of which the peer says that their result is there.
  HostLink(int world_from, std::uint64_t sequence, std::vector<bool>* ready)
      : from_(world_from), sequence_(sequence), ready_(ready) {}

  // For the next window: so many messages, and places for their bodies; null
  // for what does not come.
  void Expect(int messages, BodySink* partials, BodySink* result);

  Status OnHead(std::span<const std::byte> head,
                std::size_t body_bytes) override;
  std::byte* Destination() override {
    return body_ == nullptr ? nullptr : body_->At(0);
  }
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override {
    if (body_ != nullptr) body_->Take(offset, piece);
  }
  void OnEnd() override { --missing_; }

  // The peer's input lies in its stage.
  bool staged() const { return staged_; }
  bool complete() const { return missing_ == 0; }

 private:
  int from_;
  std::uint64_t sequence_;
  std::vector<bool>* ready_;
  int missing_ = 0;
  bool staged_ = false;
  BodySink* partials_ = nullptr;
  BodySink* result_ = nullptr;
  BodySink* body_ = nullptr;  // of the present message
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_HOST_LINK_H_

// The heads of a collective's messages, and the bodies that follow them.

#ifndef GYRE_COLLECTIVES_MESSAGE_MESSAGE_SINKS_H_
#define GYRE_COLLECTIVES_MESSAGE_MESSAGE_SINKS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/channel.h"
#include "gyre/collectives/message/roll_call.h"

namespace gyre::internal::inline collectives {

// The first message of a rank in a collective. The body of a rank that means
// something else is dropped.
class EntrySink final : public MessageSink {
 public:
  EntrySink(RollCall* roll, int from, BodySink* body)
      : roll_(roll), from_(from), body_(body) {}

  Status OnHead(std::span<const std::byte> head,
                std::size_t body_bytes) override;
  std::byte* Destination() override;
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override;
  void OnEnd() override {}

 private:
  RollCall* roll_;
  int from_;
  BodySink* body_;
};

// The head of every further message.
struct PartHead {
  enum Kind : std::uint32_t {
    kInput,
    kResult,
    kPartial,
    kStaged,  // these three without a body, of two_level_reduce
    kReady,
    kDone,
  };

  std::uint64_t magic = 0x6779'7265'7061'7274ULL;
  std::uint64_t sequence = 0;  // of the collective
  std::uint32_t kind = kInput;
  std::uint32_t index = 0;  // among those of the kind, from the same rank

  friend bool operator==(const PartHead&, const PartHead&) = default;
};
std::span<const std::byte> BytesOf(const PartHead& head);

// Further messages: parts that together fill one body. Post it once for each.
class PartSink final : public MessageSink {
 public:
  // `first`: the head of the first part.
  PartSink(int world_from, const PartHead& first, BodySink* body)
      : from_(world_from), next_(first), body_(body) {}

  Status OnHead(std::span<const std::byte> head,
                std::size_t body_bytes) override;
  std::byte* Destination() override { return body_->At(start_); }
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override {
    body_->Take(start_ + offset, piece);
  }
  void OnEnd() override {}

 private:
  int from_;
  PartHead next_;
  BodySink* body_;
  std::size_t start_ = 0;  // of the present part
};

// One link that carries partial sums and results in any order. Post it once
// for each message. Null: none of that kind comes.
class LinkSink final : public MessageSink {
 public:
  LinkSink(PartSink* partials, PartSink* results, int world_from)
      : partials_(partials), results_(results), from_(world_from) {}

  Status OnHead(std::span<const std::byte> head,
                std::size_t body_bytes) override;
  std::byte* Destination() override { return now_->Destination(); }
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override {
    now_->OnBody(offset, piece);
  }
  void OnEnd() override {}

 private:
  PartSink* partials_;
  PartSink* results_;
  PartSink* now_ = nullptr;
  int from_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_MESSAGE_SINKS_H_

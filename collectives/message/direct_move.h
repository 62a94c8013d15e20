// Collectives of one step, each rank with each: all that only move data, and
// reductions of little data, which every rank does for itself.

#ifndef GYRE_COLLECTIVES_MESSAGE_DIRECT_MOVE_H_
#define GYRE_COLLECTIVES_MESSAGE_DIRECT_MOVE_H_

#include <deque>
#include <span>
#include <vector>

#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/message/message_sinks.h"

namespace gyre::internal::inline collectives {

class DirectMove final : public MessageFlow {
 public:
  DirectMove(const MessageContext& context, const Exchange& exchange)
      : context_(context), exchange_(exchange) {}

  Status Start() override;
  bool Done() const override;
  bool Needs(int rank) const override;
  void Finish() override;

 private:
  bool reduces() const;
  // What peer `to` gets of this rank's input.
  std::span<const std::byte> PartFor(int to) const;
  // Where a peer's part goes.
  MemoryBody BodyFrom(int from) const;
  // This rank's part of its own output.
  void MoveOwn() const;

  MessageContext context_;
  Exchange exchange_;
  std::byte* stage_ = nullptr;  // small reductions: every rank's part
  std::size_t stride_ = 0;
  // By rank; this rank's are not used. Deques, whose elements do not move.
  std::deque<MemoryBody> bodies_;
  std::deque<EntrySink> entries_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_DIRECT_MOVE_H_

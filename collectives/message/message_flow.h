// One collective in flight: what has been sent and what is still to come.

#ifndef GYRE_COLLECTIVES_MESSAGE_MESSAGE_FLOW_H_
#define GYRE_COLLECTIVES_MESSAGE_MESSAGE_FLOW_H_

#include <cstddef>
#include <deque>

#include "gyre/collectives/exchange.h"
#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/channel.h"
#include "gyre/collectives/message/message_options.h"
#include "gyre/collectives/message/message_sinks.h"
#include "gyre/collectives/message/roll_call.h"
#include "gyre/collectives/two_level/host_stage.h"
#include "gyre/core/aligned.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Memory beside the user's, kept from one collective to the next.
class StageBuffer {
 public:
  // An error when the machine has no more. What was given before is void.
  StatusOr<std::byte*> Get(std::size_t bytes);

 private:
  AlignedBuffer buffer_;
  std::size_t bytes_ = 0;
};

// What the flows of one communicator work with.
struct MessageContext {
  MessageChannel* channel;
  RollCall* roll;
  StageBuffer* stage;
  MessageOptions options;
  const HostStage* host = nullptr;  // shared memory of a host, if any

  int me() const { return channel->rank(); }
  int size() const { return channel->size(); }
};

// Heads to and from all ranks, before flows whose payload goes another way.
class HeadRound {
 public:
  void Start(const MessageContext& context);

 private:
  std::deque<MemoryBody> bodies_;
  std::deque<EntrySink> entries_;
};

// Whole cache lines, at least one.
std::size_t WholeLines(std::size_t bytes);

class MessageFlow {
 public:
  virtual ~MessageFlow() = default;

  // Posts receives and starts to send.
  virtual Status Start() = 0;
  // Goes on with what has come; may send.
  virtual void Advance() {}
  // All has come, and all sends are started.
  virtual bool Done() const = 0;
  // Something is still to come from this peer.
  virtual bool Needs(int rank) const = 0;
  // All of it is out as well. Goes on with what is left; false: nothing is.
  virtual bool Next() { return false; }
  // All is sent: `in` may be overwritten.
  virtual void Finish() {}
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_MESSAGE_FLOW_H_

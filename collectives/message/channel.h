// Messages between the ranks of one group: what a backend without shared
// memory gives, and all that message_communicator asks of it.
//
//   channel->Receive(peer, &sink);          // where the next message goes
//   channel->Send(peer, head, body);        // started, not yet sent
//   GYRE_RETURN_IF_ERROR(
//       channel->Drive([&] { return sink.complete(); }, true, call, late));
//
// Messages from one rank to another arrive once, whole, and in the order in
// which they were sent. A message has a head (some hundred bytes, copied by
// Send) and a body (any size, 0 included; read where it lies).
//
// WARNING 1: the body must stay unchanged until Drive says that all is sent.
// WARNING 2: post receives before sends of large bodies. A rank that only
// sends may wait for a rank that only sends.
// WARNING 3: one thread drives one channel. Channels of one transport may be
// driven by several threads at a time.
// WARNING 4: a message may come before its Receive is posted: a rank may be
// ahead by some collectives. It waits (or its sender does), and it must not
// hold up other channels.

#ifndef GYRE_COLLECTIVES_MESSAGE_CHANNEL_H_
#define GYRE_COLLECTIVES_MESSAGE_CHANNEL_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gyre/collectives/describe.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Takes one message. Called by Drive only.
class MessageSink {
 public:
  virtual ~MessageSink() = default;

  // The message begins. An error refuses it, and fails the channel.
  virtual Status OnHead(std::span<const std::byte> head,
                        std::size_t body_bytes) = 0;
  // Where the body may be written as it comes, or null: it then comes through
  // OnBody. Asked once, after OnHead.
  virtual std::byte* Destination() { return nullptr; }
  // The next bytes of the body, in order; they may cut elements anywhere.
  // With a destination they are there already (`piece` lies in it).
  virtual void OnBody(std::size_t offset, std::span<const std::byte> piece) = 0;
  // The message is complete.
  virtual void OnEnd() = 0;
};

// A rank that is waited for, and what its peers know about it.
struct LatePeer {
  int rank = 0;                // in the group
  bool entered = false;        // it is in this collective, but not through it
  std::string last_call = {};  // "last seen in barrier #3 at x.cc:7"; may be ""
};

class MessageChannel {
 public:
  // At any moment, also after an error: no body and no sink is used any more
  // when it returns. Bodies that were not sent yet are lost; heads still go
  // out, as far as that can be, so that peers learn why.
  virtual ~MessageChannel() = default;

  virtual int rank() const = 0;  // in the group
  virtual int size() const = 0;

  // Peers are ranks of the group, and not this rank itself.
  virtual void Send(int to,
                    std::span<const std::byte> head,
                    std::span<const std::byte> body) = 0;
  // One message for one sink; several may wait in line. The sink must live
  // until its OnEnd, or until the channel is gone.
  virtual void Receive(int from, MessageSink* sink) = 0;

  // Works until `done` (asked after everything that happens, and at least
  // every 20 ms; it may call Send and Receive, which sinks may not) and, with
  // `sent`, until no body of this channel is in use any more. Errors: a rank
  // that is still waited for is lost (its process, its connection) or has left,
  // any rank gave up, the deadline of the transport's WaitPolicy is over, a
  // sink refused. `waiting` and `late` are for the message (describe.h has the
  // words: LateError, GaveUpError, LeftError, LostError). Prefer what the rank
  // told by SetActivity to its last_call. An empty `late`: this rank waits for
  // its own sends. The deadline counts from the call, and anew from each piece
  // of a body that comes or goes.
  virtual Status Drive(const std::function<bool()>& done,
                       bool sent,
                       const Waiting& waiting,
                       const std::function<std::vector<LatePeer>()>& late) = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_CHANNEL_H_

// What every Transport must do, as checks that all ranks of a world run
// together: threads in a test, processes under mpirun.

#ifndef GYRE_TESTS_SUPPORT_TRANSPORT_CHECKS_H_
#define GYRE_TESTS_SUPPORT_TRANSPORT_CHECKS_H_

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "gyre/collectives/message/transport.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {

// Keeps one message; into memory of its own, or piece by piece.
class KeepingSink final : public MessageSink {
 public:
  explicit KeepingSink(bool by_pieces) : by_pieces_(by_pieces) {}

  Status OnHead(std::span<const std::byte> head,
                std::size_t body_bytes) override {
    head_.assign(head.begin(), head.end());
    body_.resize(body_bytes);
    return OkStatus();
  }
  std::byte* Destination() override {
    return by_pieces_ ? nullptr : body_.data();
  }
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override {
    in_order_ = in_order_ && offset == arrived_;
    if (by_pieces_) {
      std::memcpy(body_.data() + offset, piece.data(), piece.size());
    }
    arrived_ += piece.size();
  }
  void OnEnd() override { ended_ = true; }

  bool ended() const { return ended_; }
  // An error when it is not this message.
  Status Check(const Bytes& head, const Bytes& body) const {
    if (!ended_ || !in_order_ || arrived_ != body.size()) {
      return InternalError("the message did not come whole and in order");
    }
    if (head_.size() != head.size() || body_.size() != body.size()) {
      return InternalError("the message has another size");
    }
    GYRE_RETURN_IF_ERROR(SameBytes(head_.data(), head, "head"));
    return SameBytes(body_.data(), body, "body");
  }

 private:
  bool by_pieces_;
  Bytes head_;
  Bytes body_;
  std::size_t arrived_ = 0;
  bool in_order_ = true;
  bool ended_ = false;
};

inline std::vector<LatePeer> NobodyLate() { return {}; }

// The i-th message of `from` to `to`.
inline Bytes TestHead(int from, int to, int i) {
  return MakeInput(DType::kU8, from * 64 + to, 100 + i % 50);
}
inline Bytes TestBody(int from, int to, int i) {
  constexpr std::size_t kSizes[] = {
      0, 1, 7, 4096, 16'385, 100'003, 1 << 20, 700'001};
  return MakeInput(
      DType::kU8, from * 32 + to * 4 + i % 4, kSizes[i % std::size(kSizes)]);
}

// Messages of all sizes from each rank to each, all at once.
inline Status CheckAllPairs(MessageChannel& channel, int messages) {
  const int me = channel.rank();
  std::deque<KeepingSink> sinks;
  std::deque<Bytes> bodies;
  for (int r = 0; r < channel.size(); ++r) {
    for (int i = 0; r != me && i < messages; ++i) {
      sinks.emplace_back(/*by_pieces=*/(i + r) % 2 == 0);
      channel.Receive(r, &sinks.back());
    }
  }
  for (int i = 0; i < messages; ++i) {
    for (int r = 0; r < channel.size(); ++r) {
      if (r == me) continue;
      bodies.push_back(TestBody(me, r, i));
      channel.Send(r, TestHead(me, r, i), bodies.back());
    }
  }
  const auto done = [&] {
    for (const KeepingSink& sink : sinks) {
      if (!sink.ended()) return false;
    }
    return true;
  };
  GYRE_RETURN_IF_ERROR(channel.Drive(
      done, true, {CollectiveKind::kAllToAll, 1, "all pairs"}, NobodyLate));
  std::size_t at = 0;
  for (int r = 0; r < channel.size(); ++r) {
    for (int i = 0; r != me && i < messages; ++i) {
      GYRE_RETURN_IF_ERROR(
          sinks[at++].Check(TestHead(r, me, i), TestBody(r, me, i)));
    }
  }
  return OkStatus();
}

inline std::vector<int> AllRanks(const Transport& transport) {
  std::vector<int> all(transport.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The world's channel, and one for the ranks in reverse order; `group` and
// `group` + 1 must be free.
inline Status CheckTransport(Transport& transport, std::uint32_t group) {
  std::vector<int> members = AllRanks(transport);
  GYRE_ASSIGN_OR_RETURN(const auto channel, transport.Open(group, members));
  std::reverse(members.begin(), members.end());
  GYRE_ASSIGN_OR_RETURN(const auto reverse, transport.Open(group + 1, members));
  if (channel->rank() != transport.rank() ||
      reverse->rank() != transport.size() - 1 - transport.rank()) {
    return InternalError("a rank does not know its place");
  }
  for (int round = 0; round < 3; ++round) {
    GYRE_RETURN_IF_ERROR(CheckAllPairs(*channel, 9));
    GYRE_RETURN_IF_ERROR(CheckAllPairs(*reverse, 4));
  }
  return OkStatus();
}

// A rank may be ahead: what it sends to one channel waits there while the
// other rank is still busy with another one.
inline Status CheckEarlyMessages(Transport& transport, std::uint32_t group) {
  const std::vector<int> members = AllRanks(transport);
  GYRE_ASSIGN_OR_RETURN(const auto first, transport.Open(group, members));
  GYRE_ASSIGN_OR_RETURN(const auto second, transport.Open(group + 1, members));
  const int me = transport.rank();
  if (me > 1) return OkStatus();
  const int peer = 1 - me;
  const Bytes large = TestBody(me, peer, 7);
  const Bytes head = TestHead(me, peer, 7);
  KeepingSink from_first(false);
  KeepingSink from_second(true);
  const Waiting waiting = {CollectiveKind::kPermute, 1, "early"};
  // Rank 0 sends on the second channel first, and rank 1 receives there last.
  MessageChannel& sends_first = me == 0 ? *second : *first;
  MessageChannel& sends_last = me == 0 ? *first : *second;
  first->Receive(peer, &from_first);
  second->Receive(peer, &from_second);
  sends_first.Send(peer, head, large);
  sends_last.Send(peer, head, large);
  GYRE_RETURN_IF_ERROR(first->Drive(
      [&] { return from_first.ended(); }, false, waiting, NobodyLate));
  GYRE_RETURN_IF_ERROR(second->Drive(
      [&] { return from_second.ended(); }, true, waiting, NobodyLate));
  GYRE_RETURN_IF_ERROR(
      first->Drive([] { return true; }, true, waiting, NobodyLate));
  const Bytes want = TestBody(peer, me, 7);
  GYRE_RETURN_IF_ERROR(from_first.Check(TestHead(peer, me, 7), want));
  return from_second.Check(TestHead(peer, me, 7), want);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_TRANSPORT_CHECKS_H_

// The direct reduction of much data. Each rank owns a part of the elements:
// it gets that part from every peer, reduces block after block as they come,
// in the tree order of all backends, and sends each finished block to all
// peers (all_reduce) or keeps it (reduce_scatter).

#ifndef GYRE_COLLECTIVES_MESSAGE_DIRECT_REDUCE_H_
#define GYRE_COLLECTIVES_MESSAGE_DIRECT_REDUCE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/message/message_sinks.h"

namespace gyre::internal::inline collectives {

class DirectReduce final : public MessageFlow {
 public:
  DirectReduce(const MessageContext& context, const Exchange& exchange);

  Status Start() override;
  void Advance() override;
  bool Done() const override { return done_; }
  bool Needs(int rank) const override;
  void Finish() override;

 private:
  bool all_reduce() const {
    return exchange_.kind == CollectiveKind::kAllReduce;
  }
  // The elements of `in` of which rank r makes the result in this window.
  Slice OwnedBy(int r) const;
  // Where the result of this rank's elements goes.
  std::byte* ResultPlace() const;
  std::size_t Bytes(const Slice& slice) const {
    return slice.count * SizeOf(exchange_.dtype);
  }

  // The window: elements first_ .. first_ + count_ - 1 of all.
  void StartWindow();
  void ExpectInput(int from);
  void ExpectResults(int from);
  void SendInput(int to);
  bool WindowDone() const;

  void ReduceReady();
  void ReduceBlock(std::size_t bytes);
  void SendResults();

  MessageContext context_;
  Exchange exchange_;
  std::size_t window_;  // elements
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool done_ = false;

  std::byte* stage_ = nullptr;
  std::size_t stride_ = 0;
  std::byte* kept_ = nullptr;  // the result, while `in` is still needed

  // Of the window, by rank.
  Slice mine_;
  std::vector<std::unique_ptr<BodySink>> inputs_;
  std::vector<std::unique_ptr<BodySink>> results_;
  std::deque<EntrySink> entries_;
  std::deque<PartSink> parts_;
  std::size_t reduced_ = 0;  // bytes of the result that are final
  std::size_t sent_ = 0;     // bytes of it on their way to the peers
  std::uint32_t next_input_ = 0;
  std::uint32_t next_result_ = 0;
  std::vector<std::uint32_t> came_results_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_DIRECT_REDUCE_H_

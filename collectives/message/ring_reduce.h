// Reductions along the ring of ranks, for many ranks: rank 0 sends its
// elements to rank 1, which adds its own and sends the sum on, and so forth;
// the last rank has the result, which goes on around the ring (all_reduce) or
// straight to whom it belongs (reduce_scatter). All links carry data at the
// same time, block after block.
//
// The order is r0 + r1, + r2, ...: that of ReduceChain, for every element.

#ifndef GYRE_COLLECTIVES_MESSAGE_RING_REDUCE_H_
#define GYRE_COLLECTIVES_MESSAGE_RING_REDUCE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/message/message_sinks.h"

namespace gyre::internal::inline collectives {

class RingReduce final : public MessageFlow {
 public:
  RingReduce(const MessageContext& context, const Exchange& exchange);

  Status Start() override;
  void Advance() override;
  bool Done() const override;
  bool Needs(int rank) const override;
  bool Next() override;
  void Finish() override;

 private:
  // Elements that travel together.
  struct Block {
    std::size_t first;  // in `in`
    std::size_t count;
    int owner;  // of the result; -1: everybody
  };

  int last() const { return context_.size() - 1; }
  bool all_reduce() const {
    return exchange_.kind == CollectiveKind::kAllReduce;
  }
  std::size_t element() const { return SizeOf(exchange_.dtype); }
  const std::byte* InputOf(const Block& block) const {
    return exchange_.in + block.first * element();
  }
  std::byte* ResultOf(const Block& block) const;
  bool GetsResult(const Block& block) const;

  void StartWindow();
  void CutWindow();
  void Expect();
  void Post(int from, std::size_t partials, std::size_t results);
  PartHead HeadOf(PartHead::Kind kind, std::uint32_t index) const;

  void SendOwn();
  void AddOwn();
  void FinishBlock(const Block& block, const std::byte* partial);
  void ForwardResults();
  void SendPart(int to,
                PartHead::Kind kind,
                std::uint32_t* index,
                std::span<const std::byte> body);

  MessageContext context_;
  Exchange exchange_;
  std::size_t block_elements_;
  std::size_t window_elements_;
  HeadRound heads_;
  std::size_t position_ = 0;  // elements before the window
  std::size_t taken_ = 0;     // elements of the window

  std::byte* partial_ = nullptr;  // the window's partial sums
  std::byte* stage_ = nullptr;    // results for others, on the last rank
  std::byte* out_ = nullptr;      // `out`, or a place until `in` is not needed

  // Of the window.
  std::vector<Block> blocks_;
  std::optional<MemoryBody> partials_;
  std::optional<MemoryBody> results_;
  std::optional<PartSink> partial_sink_;
  std::optional<PartSink> result_sink_;
  std::deque<LinkSink> links_;
  std::size_t added_ = 0;      // blocks
  std::size_t forwarded_ = 0;  // blocks

  std::uint32_t sent_partials_ = 0;
  std::uint32_t got_partials_ = 0;
  std::uint32_t got_results_ = 0;
  std::vector<std::uint32_t> sent_results_;  // by rank
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_RING_REDUCE_H_

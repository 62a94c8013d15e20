// The broadcast of much data to many: from rank to next rank, block after
// block, so that the root sends it once and all links carry data at a time.

#ifndef GYRE_COLLECTIVES_MESSAGE_CHAIN_BROADCAST_H_
#define GYRE_COLLECTIVES_MESSAGE_CHAIN_BROADCAST_H_

#include <cstdint>
#include <optional>

#include "gyre/collectives/message/body_sink.h"
#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/message/message_sinks.h"

namespace gyre::internal::inline collectives {

class ChainBroadcast final : public MessageFlow {
 public:
  ChainBroadcast(const MessageContext& context, const Exchange& exchange)
      : context_(context), exchange_(exchange) {}

  Status Start() override;
  void Advance() override;
  bool Done() const override;
  bool Needs(int rank) const override;

 private:
  bool is_root() const { return context_.me() == exchange_.source; }
  int previous() const {
    return (context_.me() + context_.size() - 1) % context_.size();
  }
  int next() const { return (context_.me() + 1) % context_.size(); }

  MessageContext context_;
  Exchange exchange_;
  HeadRound heads_;
  std::optional<MemoryBody> body_;
  std::optional<PartSink> sink_;
  std::size_t sent_ = 0;  // bytes
  std::uint32_t index_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_CHAIN_BROADCAST_H_

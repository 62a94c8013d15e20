#include "gyre/collectives/message/chain_broadcast.h"

#include <algorithm>

namespace gyre::internal::inline collectives {

Status ChainBroadcast::Start() {
  heads_.Start(context_);
  const std::size_t bytes = exchange_.PieceBytes();
  body_.emplace(exchange_.out, is_root() ? 0 : bytes);
  if (!is_root()) {
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = PartHead::kResult;
    sink_.emplace(context_.roll->world_rank(previous()), head, &*body_);
    const std::size_t block = WholeLines(context_.options.block_bytes);
    for (std::size_t at = 0; at < bytes; at += block) {
      context_.channel->Receive(previous(), &*sink_);
    }
  }
  Advance();
  return OkStatus();
}

void ChainBroadcast::Advance() {
  if (next() == exchange_.source) return;
  const std::size_t bytes = exchange_.PieceBytes();
  const std::size_t block = WholeLines(context_.options.block_bytes);
  const std::size_t here = is_root() ? bytes : body_->arrived();
  while (sent_ < here) {
    const std::size_t n = std::min(block, bytes - sent_);
    if (here - sent_ < n) return;
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = PartHead::kResult;
    head.index = index_++;
    context_.channel->Send(next(), BytesOf(head), {exchange_.out + sent_, n});
    sent_ += n;
  }
}

bool ChainBroadcast::Done() const {
  return context_.roll->complete() && body_->complete();
}

bool ChainBroadcast::Needs(int rank) const {
  return !context_.roll->has(rank) ||
         (rank == previous() && !body_->complete());
}

}  // namespace gyre::internal::inline collectives

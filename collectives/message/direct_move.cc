#include "gyre/collectives/message/direct_move.h"

#include <cstring>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/partial_reduce.h"
#include "gyre/collectives/reduce.h"

namespace gyre::internal::inline collectives {
namespace {

void Copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

bool DirectMove::reduces() const {
  return exchange_.kind == CollectiveKind::kAllReduce ||
         exchange_.kind == CollectiveKind::kReduceScatter;
}

std::span<const std::byte> DirectMove::PartFor(int to) const {
  const std::size_t bytes = exchange_.PieceBytes();
  switch (exchange_.kind) {
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
      return {exchange_.in + to * bytes, bytes};
    case CollectiveKind::kBroadcast:
      if (exchange_.source != context_.me()) return {};
      break;
    case CollectiveKind::kPermute:
      if (exchange_.sources[to] != context_.me()) return {};
      break;
    case CollectiveKind::kBarrier:
      return {};
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kSplit:
    case CollectiveKind::kAllocate:
      break;
  }
  return {exchange_.in, bytes};
}

MemoryBody DirectMove::BodyFrom(int from) const {
  const std::size_t bytes = exchange_.PieceBytes();
  if (reduces()) return {stage_ + from * stride_, bytes};
  switch (exchange_.kind) {
    case CollectiveKind::kBarrier:
      return {nullptr, 0};
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kPermute:
      if (exchange_.source != from) return {nullptr, 0};
      return {exchange_.out, bytes};
    default:
      return {exchange_.out + from * bytes, bytes};
  }
}

Status DirectMove::Start() {
  const int me = context_.me();
  const int size = context_.size();
  stride_ = AlignUp(exchange_.PieceBytes()) + kSkew;
  const bool copies = !reduces() && !ReadableInPlace(exchange_, me);
  if (reduces() || copies) {
    const std::size_t bytes = reduces() ? size * stride_ : exchange_.InBytes();
    GYRE_ASSIGN_OR_RETURN(stage_, context_.stage->Get(bytes));
  }
  if (copies) {
    // What comes may overwrite what has not gone yet.
    Copy(stage_, exchange_.in, exchange_.InBytes());
    exchange_.in = stage_;
  }
  for (int r = 0; r < size; ++r) {
    bodies_.push_back(BodyFrom(r));
    entries_.emplace_back(context_.roll, r, &bodies_.back());
    if (r != me) context_.channel->Receive(r, &entries_.back());
  }
  for (int i = 1; i < size; ++i) {
    const int to = (me + i) % size;
    context_.channel->Send(to, BytesOf(context_.roll->mine()), PartFor(to));
  }
  return OkStatus();
}

bool DirectMove::Needs(int rank) const {
  return rank != context_.me() &&
         (!context_.roll->has(rank) || !bodies_[rank].complete());
}

bool DirectMove::Done() const {
  for (int r = 0; r < context_.size(); ++r) {
    if (Needs(r)) return false;
  }
  return true;
}

void DirectMove::MoveOwn() const {
  const int me = context_.me();
  const std::size_t bytes = exchange_.PieceBytes();
  switch (exchange_.kind) {
    case CollectiveKind::kBarrier:
    case CollectiveKind::kBroadcast:
      return;
    case CollectiveKind::kPermute:
      if (exchange_.source == me) Copy(exchange_.out, exchange_.in, bytes);
      if (exchange_.source < 0 && bytes > 0) {
        std::memset(exchange_.out, 0, bytes);
      }
      return;
    case CollectiveKind::kAllToAll:
      Copy(exchange_.out + me * bytes, exchange_.in + me * bytes, bytes);
      return;
    default:
      Copy(exchange_.out + me * bytes, exchange_.in, bytes);
      return;
  }
}

void DirectMove::Finish() {
  if (!reduces()) return MoveOwn();
  std::vector<const void*> sources;
  for (int r = 0; r < context_.size(); ++r) {
    sources.push_back(r == context_.me() ? PartFor(r).data()
                                         : stage_ + r * stride_);
  }
  const auto reduce = context_.options.algorithm == MessageAlgorithm::kRing
                          ? ReduceChain
                          : Reduce;
  reduce(
      exchange_.dtype, exchange_.op, sources, exchange_.out, exchange_.count);
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/message/ring_reduce.h"

#include <algorithm>
#include <cstring>

#include "gyre/collectives/partial_reduce.h"

namespace gyre::internal::inline collectives {

RingReduce::RingReduce(const MessageContext& context, const Exchange& exchange)
    : context_(context),
      exchange_(exchange),
      block_elements_(WholeLines(context.options.block_bytes) /
                      SizeOf(exchange.dtype)),
      window_elements_(WholeLines(context.options.window_bytes) /
                       PartialBytes(exchange.dtype)),
      sent_results_(context.size()) {}

Status RingReduce::Start() {
  const bool keeps =
      !all_reduce() && !ReadableInPlace(exchange_, context_.me());
  const std::size_t window =
      std::min(window_elements_, exchange_.parts * exchange_.count);
  const std::size_t partial = AlignUp(window * PartialBytes(exchange_.dtype));
  const std::size_t stage = all_reduce() ? 0 : AlignUp(window * element());
  const std::size_t kept = keeps ? exchange_.OutBytes() : 0;
  GYRE_ASSIGN_OR_RETURN(partial_, context_.stage->Get(partial + stage + kept));
  stage_ = partial_ + partial;
  out_ = keeps ? stage_ + stage : exchange_.out;
  heads_.Start(context_);
  StartWindow();
  return OkStatus();
}

std::byte* RingReduce::ResultOf(const Block& block) const {
  if (all_reduce()) return out_ + block.first * element();
  if (GetsResult(block)) {
    return out_ + (block.first - block.owner * exchange_.count) * element();
  }
  return stage_ + (block.first - position_) * element();
}

bool RingReduce::GetsResult(const Block& block) const {
  return block.owner < 0 || block.owner == context_.me();
}

void RingReduce::CutWindow() {
  const std::size_t total = exchange_.parts * exchange_.count;
  const std::size_t end = std::min(total, position_ + window_elements_);
  blocks_.clear();
  for (std::size_t at = position_; at < end;) {
    const std::size_t part = at / exchange_.count;
    const std::size_t stop =
        std::min({end, (part + 1) * exchange_.count, at + block_elements_});
    const int owner = all_reduce() ? -1 : static_cast<int>(part);
    blocks_.push_back({at, stop - at, owner});
    at = stop;
  }
  taken_ = end - position_;
}

void RingReduce::StartWindow() {
  CutWindow();
  added_ = 0;
  forwarded_ = 0;
  links_.clear();
  Expect();
  if (context_.me() == 0) SendOwn();
}

PartHead RingReduce::HeadOf(PartHead::Kind kind, std::uint32_t index) const {
  PartHead head;
  head.sequence = context_.roll->mine().record.sequence;
  head.kind = kind;
  head.index = index;
  return head;
}

void RingReduce::Expect() {
  const int me = context_.me();
  const std::size_t partials = me == 0 ? 0 : blocks_.size();
  partials_.emplace(partial_,
                    partials == 0 ? 0 : taken_ * PartialBytes(exchange_.dtype));
  std::size_t results = 0;
  std::size_t bytes = 0;
  std::byte* to = nullptr;
  for (const Block& block : blocks_) {
    if (me == last() || !GetsResult(block)) continue;
    if (results++ == 0) to = ResultOf(block);
    bytes += block.count * element();
  }
  results_.emplace(to, bytes);
  const int partials_from = me - 1;
  const int results_from = all_reduce() && me > 0 ? me - 1 : last();
  if (partials > 0) {
    partial_sink_.emplace(context_.roll->world_rank(partials_from),
                          HeadOf(PartHead::kPartial, got_partials_),
                          &*partials_);
    got_partials_ += static_cast<std::uint32_t>(partials);
  }
  if (results > 0) {
    result_sink_.emplace(context_.roll->world_rank(results_from),
                         HeadOf(PartHead::kResult, got_results_),
                         &*results_);
    got_results_ += static_cast<std::uint32_t>(results);
  }
  if (partials_from == results_from) {
    Post(partials_from, partials, results);
  } else {
    Post(partials_from, partials, 0);
    Post(results_from, 0, results);
  }
}

void RingReduce::Post(int from, std::size_t partials, std::size_t results) {
  if (partials + results == 0) return;
  LinkSink& link = links_.emplace_back(partials > 0 ? &*partial_sink_ : nullptr,
                                       results > 0 ? &*result_sink_ : nullptr,
                                       context_.roll->world_rank(from));
  for (std::size_t i = 0; i < partials + results; ++i) {
    context_.channel->Receive(from, &link);
  }
}

void RingReduce::SendPart(int to,
                          PartHead::Kind kind,
                          std::uint32_t* index,
                          std::span<const std::byte> body) {
  const PartHead head = HeadOf(kind, (*index)++);
  context_.channel->Send(to, BytesOf(head), body);
}

void RingReduce::SendOwn() {
  const std::size_t bytes = PartialBytes(exchange_.dtype);
  for (const Block& block : blocks_) {
    const std::byte* from = InputOf(block);
    if (!IsOwnPartial(exchange_.dtype)) {
      std::byte* const to = partial_ + (block.first - position_) * bytes;
      const ReduceTerm term[] = {{from, false}};
      ReducePartial(
          exchange_.dtype, exchange_.op, ChainOver(1), term, to, block.count);
      from = to;
    }
    SendPart(
        1, PartHead::kPartial, &sent_partials_, {from, block.count * bytes});
  }
}

void RingReduce::AddOwn() {
  const std::size_t bytes = PartialBytes(exchange_.dtype);
  while (added_ < blocks_.size()) {
    const Block& block = blocks_[added_];
    const std::size_t start = (block.first - position_) * bytes;
    if (partials_->arrived() < start + block.count * bytes) return;
    std::byte* const partial = partial_ + start;
    ++added_;
    if (context_.me() == last()) {
      FinishBlock(block, partial);
      continue;
    }
    const ReduceTerm terms[] = {{partial, true}, {InputOf(block), false}};
    ReducePartial(exchange_.dtype,
                  exchange_.op,
                  ChainOver(2),
                  terms,
                  partial,
                  block.count);
    SendPart(context_.me() + 1,
             PartHead::kPartial,
             &sent_partials_,
             {partial, block.count * bytes});
  }
}

void RingReduce::FinishBlock(const Block& block, const std::byte* partial) {
  std::byte* const result = ResultOf(block);
  const ReduceTerm terms[] = {{partial, true}, {InputOf(block), false}};
  ReduceFinal(exchange_.dtype,
              exchange_.op,
              ChainOver(2),
              terms,
              context_.size(),
              result,
              block.count);
  const int to = all_reduce() ? 0 : block.owner;
  if (to == context_.me()) return;
  SendPart(to,
           PartHead::kResult,
           &sent_results_[to],
           {result, block.count * element()});
}

void RingReduce::ForwardResults() {
  const int next = context_.me() + 1;
  if (!all_reduce() || next >= last()) return;
  while (forwarded_ < blocks_.size()) {
    const Block& block = blocks_[forwarded_];
    const std::size_t start = (block.first - position_) * element();
    const std::size_t bytes = block.count * element();
    if (results_->arrived() < start + bytes) return;
    SendPart(next,
             PartHead::kResult,
             &sent_results_[next],
             {ResultOf(block), bytes});
    ++forwarded_;
  }
}

void RingReduce::Advance() {
  if (context_.me() > 0) AddOwn();
  ForwardResults();
}

bool RingReduce::Done() const {
  return context_.roll->complete() && partials_->complete() &&
         results_->complete();
}

bool RingReduce::Needs(int rank) const {
  const int me = context_.me();
  if (!context_.roll->has(rank)) return true;
  const bool gives_partials = rank == me - 1;
  const bool gives_results = rank == (all_reduce() && me > 0 ? me - 1 : last());
  return (gives_partials && !partials_->complete()) ||
         (gives_results && !results_->complete());
}

bool RingReduce::Next() {
  position_ += taken_;
  if (position_ >= exchange_.parts * exchange_.count) return false;
  StartWindow();
  return true;
}

void RingReduce::Finish() {
  if (out_ != exchange_.out) {
    std::memcpy(exchange_.out, out_, exchange_.OutBytes());
  }
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/message/direct_reduce.h"

#include <algorithm>
#include <cstring>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/reduce.h"

namespace gyre::internal::inline collectives {
namespace {

std::size_t Blocks(std::size_t bytes, std::size_t block) {
  return (bytes + block - 1) / block;
}

}  // namespace

DirectReduce::DirectReduce(const MessageContext& context,
                           const Exchange& exchange)
    : context_(context), exchange_(exchange), came_results_(context.size()) {
  context_.options.block_bytes = WholeLines(context.options.block_bytes);
  // In a reduce_scatter the window is taken from the part of every rank.
  window_ = WholeLines(context.options.window_bytes / exchange.parts) /
            SizeOf(exchange.dtype);
}

Slice DirectReduce::OwnedBy(int r) const {
  if (!all_reduce()) return {r * exchange_.count + first_, count_};
  const Slice slice =
      SliceOf(count_, SizeOf(exchange_.dtype), r, context_.size());
  return {first_ + slice.first, slice.count};
}

std::byte* DirectReduce::ResultPlace() const {
  if (all_reduce()) {
    return exchange_.out + mine_.first * SizeOf(exchange_.dtype);
  }
  std::byte* const out = kept_ != nullptr ? kept_ : exchange_.out;
  return out + first_ * SizeOf(exchange_.dtype);
}

Status DirectReduce::Start() {
  count_ = std::min(window_, exchange_.count);
  const int size = context_.size();
  // The first window is the largest, and so are its parts.
  stride_ = size == 2 ? 0 : AlignUp(Bytes(OwnedBy(0))) + kSkew;
  const bool keeps =
      !all_reduce() && !ReadableInPlace(exchange_, context_.me());
  const std::size_t kept = keeps ? exchange_.OutBytes() : 0;
  if (size * stride_ + kept > 0) {
    GYRE_ASSIGN_OR_RETURN(stage_, context_.stage->Get(size * stride_ + kept));
  }
  if (keeps) kept_ = stage_ + size * stride_;
  StartWindow();
  return OkStatus();
}

void DirectReduce::StartWindow() {
  const int me = context_.me();
  const int size = context_.size();
  mine_ = OwnedBy(me);
  reduced_ = 0;
  sent_ = 0;
  inputs_.clear();
  results_.clear();
  parts_.clear();
  for (int r = 0; r < size; ++r) ExpectInput(r);
  for (int r = 0; r < size; ++r) ExpectResults(r);
  for (int i = 1; i < size; ++i) SendInput((me + i) % size);
  ++next_input_;
}

void DirectReduce::ExpectInput(int from) {
  const int me = context_.me();
  const std::size_t bytes = from == me ? 0 : Bytes(mine_);
  if (context_.size() == 2 && from != me) {
    inputs_.push_back(std::make_unique<PairBody>(
        PairBody::Pair{exchange_.dtype,
                       exchange_.op,
                       exchange_.in + mine_.first * SizeOf(exchange_.dtype),
                       ResultPlace(),
                       me < from},
        bytes));
  } else {
    inputs_.push_back(
        std::make_unique<MemoryBody>(stage_ + from * stride_, bytes));
  }
  if (from == me) return;
  BodySink* const body = inputs_.back().get();
  if (next_input_ == 0) {
    entries_.emplace_back(context_.roll, from, body);
    context_.channel->Receive(from, &entries_.back());
  } else if (bytes > 0) {
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = PartHead::kInput;
    head.index = next_input_;
    parts_.emplace_back(context_.roll->world_rank(from), head, body);
    context_.channel->Receive(from, &parts_.back());
  }
}

void DirectReduce::ExpectResults(int from) {
  const bool comes = all_reduce() && from != context_.me();
  const Slice slice = OwnedBy(from);
  const std::size_t bytes = comes ? Bytes(slice) : 0;
  results_.push_back(std::make_unique<MemoryBody>(
      exchange_.out + slice.first * SizeOf(exchange_.dtype), bytes));
  if (bytes == 0) return;
  PartHead head;
  head.sequence = context_.roll->mine().record.sequence;
  head.kind = PartHead::kResult;
  head.index = came_results_[from];
  parts_.emplace_back(
      context_.roll->world_rank(from), head, results_.back().get());
  const std::size_t blocks = Blocks(bytes, context_.options.block_bytes);
  for (std::size_t b = 0; b < blocks; ++b) {
    context_.channel->Receive(from, &parts_.back());
  }
  came_results_[from] += static_cast<std::uint32_t>(blocks);
}

void DirectReduce::SendInput(int to) {
  const Slice slice = OwnedBy(to);
  const std::span<const std::byte> body(
      exchange_.in + slice.first * SizeOf(exchange_.dtype), Bytes(slice));
  if (next_input_ == 0) {
    context_.channel->Send(to, BytesOf(context_.roll->mine()), body);
  } else if (!body.empty()) {
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = PartHead::kInput;
    head.index = next_input_;
    context_.channel->Send(to, BytesOf(head), body);
  }
}

void DirectReduce::Advance() {
  while (!done_) {
    ReduceReady();
    SendResults();
    if (!WindowDone()) return;
    first_ += count_;
    count_ = std::min(window_, exchange_.count - first_);
    if (count_ == 0) {
      done_ = true;
    } else {
      StartWindow();
    }
  }
}

bool DirectReduce::WindowDone() const {
  if (!context_.roll->complete() || reduced_ < Bytes(mine_)) return false;
  for (const auto& results : results_) {
    if (!results->complete()) return false;
  }
  return true;
}

bool DirectReduce::Needs(int rank) const {
  if (rank == context_.me()) return false;
  return !context_.roll->has(rank) || !inputs_[rank]->complete() ||
         !results_[rank]->complete();
}

void DirectReduce::ReduceReady() {
  if (context_.size() == 2) {
    const auto* const pair =
        static_cast<const PairBody*>(inputs_[1 - context_.me()].get());
    reduced_ = pair->reduced();
    return;
  }
  std::size_t ready = Bytes(mine_);
  for (int r = 0; r < context_.size(); ++r) {
    if (r != context_.me()) ready = std::min(ready, inputs_[r]->arrived());
  }
  while (reduced_ < ready) {
    const std::size_t block =
        std::min(context_.options.block_bytes, Bytes(mine_) - reduced_);
    if (ready - reduced_ < block) return;
    ReduceBlock(block);
  }
}

void DirectReduce::ReduceBlock(std::size_t bytes) {
  std::vector<const void*> sources;
  for (int r = 0; r < context_.size(); ++r) {
    const std::byte* const from =
        r == context_.me()
            ? exchange_.in + mine_.first * SizeOf(exchange_.dtype)
            : stage_ + r * stride_;
    sources.push_back(from + reduced_);
  }
  Reduce(exchange_.dtype,
         exchange_.op,
         sources,
         ResultPlace() + reduced_,
         bytes / SizeOf(exchange_.dtype));
  reduced_ += bytes;
}

void DirectReduce::SendResults() {
  if (!all_reduce()) return;
  while (sent_ < reduced_) {
    const std::size_t block =
        std::min(context_.options.block_bytes, Bytes(mine_) - sent_);
    if (reduced_ - sent_ < block) return;
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = PartHead::kResult;
    head.index = next_result_++;
    for (int i = 1; i < context_.size(); ++i) {
      context_.channel->Send((context_.me() + i) % context_.size(),
                             BytesOf(head),
                             {ResultPlace() + sent_, block});
    }
    sent_ += block;
  }
}

void DirectReduce::Finish() {
  if (kept_ != nullptr) {
    std::memcpy(exchange_.out, kept_, exchange_.OutBytes());
  }
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/two_level/two_level_move.h"

#include <algorithm>
#include <cstring>

namespace gyre::internal::inline collectives {
namespace {

void CopyUnlessSame(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

TwoLevelMove::TwoLevelMove(const MessageContext& context,
                           const Exchange& exchange)
    : context_(context),
      exchange_(exchange),
      peers_(context),
      window_(std::max<std::size_t>(
          context.host->bytes() / exchange.out_parts / SizeOf(exchange.dtype),
          1)) {}

Status TwoLevelMove::Start() {
  count_ = std::min(window_, exchange_.count);
  if (!ReadableInPlace(exchange_, context_.me())) {
    // What comes may overwrite what has not gone yet.
    GYRE_ASSIGN_OR_RETURN(std::byte* const copy,
                          context_.stage->Get(exchange_.InBytes()));
    CopyUnlessSame(copy, exchange_.in, exchange_.InBytes());
    exchange_.in = copy;
  }
  heads_.Start(context_);
  const std::uint64_t sequence = context_.roll->mine().record.sequence;
  for (int r = 0; r < context_.size(); ++r) {
    links_.emplace_back(context_.roll->world_rank(r), sequence, &ready_);
  }
  StartWindow();
  return OkStatus();
}

std::byte* TwoLevelMove::Lies(int rank) const {
  const HostPlan& plan = peers_.plan();
  if (peers_.IsLocal(rank)) {
    const auto& local = plan.local_ranks();
    const auto place = std::find(local.begin(), local.end(), rank);
    return context_.host->input(static_cast<int>(place - local.begin()));
  }
  const std::size_t part = exchange_.out_parts > 1 ? rank : 0;
  return context_.host->result() + part * bytes();
}

std::byte* TwoLevelMove::Place(int rank) const {
  const std::size_t part = exchange_.out_parts > 1 ? rank : 0;
  return exchange_.out +
         (part * exchange_.count + first_) * SizeOf(exchange_.dtype);
}

void TwoLevelMove::StartWindow() {
  const int me = context_.me();
  ready_.assign(context_.size(), false);
  taken_.assign(context_.size(), false);
  bodies_.clear();
  bodies_.resize(context_.size());
  told_ = false;
  for (int r = 0; r < context_.size(); ++r) {
    if (!peers_.IsMe(r)) Expect(r);
  }
  // Whoever is in its second window is through with all earlier ones.
  if (first_ > 0) ReceiveFromHosts();
  if (Gives(me)) {
    std::byte* const stage = Lies(me);
    CopyUnlessSame(
        stage, exchange_.in + first_ * SizeOf(exchange_.dtype), bytes());
    peers_.Signal(PartHead::kStaged, 0);
    peers_.SendToHosts(me, {stage, bytes()});
  }
}

int TwoLevelMove::Announces(int r) const {
  int parts = 0;
  for (int giver = 0; giver < context_.size(); ++giver) {
    if (!Gives(giver) || peers_.IsLocal(giver)) continue;
    if (peers_.plan().AgentOf(peers_.plan().my_host(), giver) == r) ++parts;
  }
  return parts;
}

void TwoLevelMove::Expect(int from) {
  int messages = 0;
  if (peers_.IsLocal(from)) {
    messages = (Gives(from) ? 1 : 0) + Announces(from) + 1;
  } else if (Gives(from) && peers_.WorksFor(from)) {
    bodies_[from] = std::make_unique<MemoryBody>(Lies(from), bytes());
    messages = 1;
  }
  links_[from].Expect(messages, nullptr, bodies_[from].get());
  if (!peers_.IsLocal(from)) return;
  for (int i = 0; i < messages; ++i) {
    context_.channel->Receive(from, &links_[from]);
  }
}

void TwoLevelMove::ReceiveFromHosts() {
  receives_ = true;
  for (int r = 0; r < context_.size(); ++r) {
    if (bodies_[r] != nullptr) context_.channel->Receive(r, &links_[r]);
  }
}

bool TwoLevelMove::HostEntered() const {
  const auto& local = peers_.plan().local_ranks();
  return std::all_of(
      local.begin(), local.end(), [&](int r) { return context_.roll->has(r); });
}

bool TwoLevelMove::Lying(int rank) const {
  if (peers_.IsMe(rank)) return true;
  return peers_.IsLocal(rank) ? links_[rank].staged() : ready_[rank];
}

void TwoLevelMove::Advance() {
  if (!receives_ && HostEntered()) ReceiveFromHosts();
  bool all = true;
  for (int r = 0; r < context_.size(); ++r) {
    if (!Gives(r)) continue;
    if (bodies_[r] != nullptr && !ready_[r] && bodies_[r]->complete()) {
      ready_[r] = true;
      peers_.Signal(PartHead::kReady, r);
    }
    if (!taken_[r] && Lying(r)) {
      taken_[r] = true;
      CopyUnlessSame(Place(r), Lies(r), bytes());
    }
    all = all && taken_[r];
  }
  if (all && !told_) {
    told_ = true;
    peers_.Signal(PartHead::kDone, 0);
  }
}

bool TwoLevelMove::Done() const {
  if (!context_.roll->complete() || !told_) return false;
  for (int r = 0; r < context_.size(); ++r) {
    if (!peers_.IsMe(r) && !links_[r].complete()) return false;
  }
  return true;
}

bool TwoLevelMove::Needs(int rank) const {
  return !peers_.IsMe(rank) &&
         (!context_.roll->has(rank) || !links_[rank].complete());
}

bool TwoLevelMove::Next() {
  first_ += count_;
  count_ = std::min(window_, exchange_.count - first_);
  if (count_ == 0) return false;
  StartWindow();
  return true;
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/two_level/two_level_reduce.h"

#include <algorithm>
#include <cstring>

namespace gyre::internal::inline collectives {
namespace {

void Copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

TwoLevelReduce::TwoLevelReduce(const MessageContext& context,
                               const Exchange& exchange)
    : context_(context),
      exchange_(exchange),
      peers_(context),
      window_(std::max<std::size_t>(
          context.host->bytes() / exchange.parts / SizeOf(exchange.dtype), 1)) {
}

Slice TwoLevelReduce::PartOf(int r) const {
  if (!all_reduce()) return {r * count_, count_};
  return SliceOf(count_, element(), r, context_.size());
}

Status TwoLevelReduce::Start() {
  count_ = std::min(window_, exchange_.count);
  // Room for the largest part of a window, from and for every host.
  std::size_t nodes = 0;
  for (int h = 0; h < plan().hosts(); ++h) nodes += plan().nodes(h).size();
  const std::size_t part =
      AlignUp(PartOf(0).count * PartialBytes(exchange_.dtype));
  const std::size_t mine = plan().nodes(plan().my_host()).size();
  const std::size_t in = nodes * part;
  const std::size_t out = context_.size() * mine * part;
  GYRE_ASSIGN_OR_RETURN(incoming_, context_.stage->Get(in + out));
  outgoing_ = incoming_ + in;
  heads_.Start(context_);
  const std::uint64_t sequence = context_.roll->mine().record.sequence;
  for (int r = 0; r < context_.size(); ++r) {
    links_.emplace_back(context_.roll->world_rank(r), sequence, &ready_);
  }
  StartWindow();
  return OkStatus();
}

void TwoLevelReduce::StartWindow() {
  const int size = context_.size();
  ready_.assign(size, false);
  copied_.assign(size, false);
  partials_.clear();
  results_.clear();
  partials_.resize(plan().hosts());
  results_.resize(size);
  sent_partials_ = false;
  finished_own_ = false;
  for (int r = 0; r < size; ++r) {
    if (!peers_.IsMe(r)) Expect(r);
  }
  CopyIn();
  peers_.Signal(PartHead::kStaged, 0);
}

void TwoLevelReduce::CopyIn() {
  std::byte* const stage = context_.host->input(plan().local_rank());
  for (std::size_t q = 0; q < exchange_.parts; ++q) {
    Copy(stage + q * count_ * element(),
         exchange_.in + (q * exchange_.count + first_) * element(),
         count_ * element());
  }
}

int TwoLevelReduce::Announces(int r) const {
  int parts = PartOf(r).count > 0 ? 1 : 0;
  for (int owner = 0; owner < context_.size(); ++owner) {
    if (peers_.IsLocal(owner) || PartOf(owner).count == 0) continue;
    if (plan().AgentOf(plan().my_host(), owner) == r) ++parts;
  }
  return parts;
}

void TwoLevelReduce::Expect(int from) {
  const int me = context_.me();
  int messages = 0;
  if (peers_.IsLocal(from)) {
    messages = 1 + (all_reduce() ? Announces(from) : 1);
    links_[from].Expect(messages, nullptr, nullptr);
  } else {
    const int host = plan().host_of(from);
    const std::size_t mine = PartOf(me).count;
    const bool gives_sums = plan().AgentOf(host, me) == from && mine > 0;
    if (gives_sums) {
      // The sums lie one after the other, host after host.
      std::byte* to = incoming_;
      const std::size_t bytes = mine * PartialBytes(exchange_.dtype);
      for (int h = 0; h < host; ++h) to += plan().nodes(h).size() * bytes;
      partials_[host] =
          std::make_unique<MemoryBody>(to, plan().nodes(host).size() * bytes);
      ++messages;
    }
    const Slice part = PartOf(from);
    if (all_reduce() && peers_.WorksFor(from) && part.count > 0) {
      results_[from] = std::make_unique<MemoryBody>(
          context_.host->result() + part.first * element(),
          part.count * element());
      ++messages;
    }
    links_[from].Expect(messages,
                        gives_sums ? partials_[host].get() : nullptr,
                        results_[from].get());
  }
  for (int i = 0; i < messages; ++i) {
    context_.channel->Receive(from, &links_[from]);
  }
}

bool TwoLevelReduce::AllStaged() const {
  const auto& local = plan().local_ranks();
  return std::all_of(local.begin(), local.end(), [&](int r) {
    return peers_.IsMe(r) || links_[r].staged();
  });
}

void TwoLevelReduce::SumNode(const RankRange& node,
                             const Slice& part,
                             std::byte* to) const {
  std::vector<RankRange> leaves;
  std::vector<ReduceTerm> terms;
  const auto& local = plan().local_ranks();
  const auto first = std::find(local.begin(), local.end(), node.first);
  for (int i = 0; i < node.count; ++i) {
    const int place = static_cast<int>(first - local.begin()) + i;
    leaves.push_back({i, 1});
    terms.push_back(
        {context_.host->input(place) + part.first * element(), false});
  }
  ReducePartial(exchange_.dtype,
                exchange_.op,
                TreeOver(node.count, leaves),
                terms,
                to,
                part.count);
}

void TwoLevelReduce::SendPartials() {
  std::byte* to = outgoing_;
  for (int i = 1; i < context_.size(); ++i) {
    const int owner = (context_.me() + i) % context_.size();
    const Slice part = PartOf(owner);
    if (!peers_.WorksFor(owner) || part.count == 0) continue;
    const std::byte* const start = to;
    for (const RankRange& node : plan().nodes(plan().my_host())) {
      SumNode(node, part, to);
      to += part.count * PartialBytes(exchange_.dtype);
    }
    peers_.Send(owner,
                PartHead::kPartial,
                0,
                {start, static_cast<std::size_t>(to - start)});
  }
  sent_partials_ = true;
}

bool TwoLevelReduce::PartialsCame() const {
  return std::all_of(
      partials_.begin(), partials_.end(), [](const auto& partials) {
        return partials == nullptr || partials->complete();
      });
}

void TwoLevelReduce::FinishOwn() {
  finished_own_ = true;
  const int me = context_.me();
  const Slice part = PartOf(me);
  if (part.count == 0) return;
  std::vector<RankRange> nodes;
  std::vector<ReduceTerm> terms;
  const std::byte* from = incoming_;
  for (int h = 0; h < plan().hosts(); ++h) {
    for (const RankRange& node : plan().nodes(h)) {
      if (h != plan().my_host()) {
        nodes.push_back(node);
        terms.push_back({from, true});
      }
      from += part.count * PartialBytes(exchange_.dtype);
    }
  }
  for (std::size_t l = 0; l < plan().local_ranks().size(); ++l) {
    nodes.push_back({plan().local_ranks()[l], 1});
    terms.push_back(
        {context_.host->input(static_cast<int>(l)) + part.first * element(),
         false});
  }
  std::byte* const result =
      all_reduce() ? context_.host->result() + part.first * element()
                   : exchange_.out + first_ * element();
  ReduceFinal(exchange_.dtype,
              exchange_.op,
              TreeOver(context_.size(), nodes),
              terms,
              context_.size(),
              result,
              part.count);
  if (!all_reduce()) return peers_.Signal(PartHead::kDone, 0);
  peers_.SendToHosts(me, {result, part.count * element()});
  ready_[me] = true;
  peers_.Signal(PartHead::kReady, me);
}

void TwoLevelReduce::TakeResults() {
  for (int owner = 0; owner < context_.size(); ++owner) {
    const Slice part = PartOf(owner);
    if (results_[owner] != nullptr && !ready_[owner] &&
        results_[owner]->complete()) {
      ready_[owner] = true;
      peers_.Signal(PartHead::kReady, owner);
    }
    if (copied_[owner] || !(ready_[owner] || part.count == 0)) continue;
    copied_[owner] = true;
    Copy(exchange_.out + (first_ + part.first) * element(),
         context_.host->result() + part.first * element(),
         part.count * element());
  }
}

void TwoLevelReduce::Advance() {
  if (!AllStaged()) return;
  if (!sent_partials_) SendPartials();
  if (!finished_own_ && PartialsCame()) FinishOwn();
  if (all_reduce()) TakeResults();
}

bool TwoLevelReduce::Done() const {
  if (!context_.roll->complete() || !sent_partials_ || !finished_own_) {
    return false;
  }
  for (int r = 0; r < context_.size(); ++r) {
    if (!peers_.IsMe(r) && !links_[r].complete()) return false;
    if (all_reduce() && !copied_[r]) return false;
  }
  return true;
}

bool TwoLevelReduce::Needs(int rank) const {
  return !peers_.IsMe(rank) &&
         (!context_.roll->has(rank) || !links_[rank].complete());
}

bool TwoLevelReduce::Next() {
  first_ += count_;
  count_ = std::min(window_, exchange_.count - first_);
  if (count_ == 0) return false;
  StartWindow();
  return true;
}

}  // namespace gyre::internal::inline collectives

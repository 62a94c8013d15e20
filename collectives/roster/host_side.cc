#include "gyre/collectives/roster/host_side.h"

#include <algorithm>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/roster/reply.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives::roster {
namespace {

// When ranks contradict each other, the rest has this long to come and be
// told, and to make the message complete.
constexpr std::int64_t kSettleNs = 1'500'000'000;
// How long all may take to fetch the answer.
constexpr std::int64_t kAnswerNs = 2'000'000'000;

}  // namespace

HostSide::HostSide(const MeetingOptions& options,
                   RankCard own,
                   Endpoint& endpoint)
    : options_(options), own_(std::move(own)), endpoint_(endpoint) {}

StatusOr<Roster> HostSide::Run(const std::function<Status(Roster&)>& decide) {
  StatusOr<Roster> roster = Gather(decide);
  Answer(roster);
  return roster;
}

StatusOr<Roster> HostSide::Gather(
    const std::function<Status(Roster&)>& decide) {
  const std::int64_t deadline =
      NowNanos() + static_cast<std::int64_t>(options_.deadline_s * 1e9);
  const auto size = static_cast<std::size_t>(own_.size);
  while (failure_.ok() && Cards().size() < size) {
    if (NowNanos() >= deadline) return Missing();
    HandleNext(deadline);
  }
  if (!failure_.ok()) {
    const std::int64_t settled = std::min(deadline, NowNanos() + kSettleNs);
    while (Cards().size() < size && NowNanos() < settled) HandleNext(settled);
    // Whoever came meanwhile may be part of the message.
    const Status all = CheckCards(Cards(), own_.size);
    return all.ok() ? failure_ : all;
  }
  Roster roster;
  roster.cards = Cards();
  std::sort(
      roster.cards.begin(),
      roster.cards.end(),
      [](const RankCard& a, const RankCard& b) { return a.rank < b.rank; });
  GYRE_RETURN_IF_ERROR(decide(roster));
  return roster;
}

std::vector<RankCard> HostSide::Cards() const {
  std::vector<RankCard> cards = {own_};
  for (const auto& [key, guest] : guests_) {
    if (guest.card.has_value()) cards.push_back(*guest.card);
  }
  return cards;
}

Status HostSide::Missing() const {
  const std::vector<RankCard> cards = Cards();
  std::vector<int> missing;
  for (int r = 0; r < own_.size; ++r) {
    if (std::none_of(cards.begin(), cards.end(), [&](const RankCard& c) {
          return c.rank == r;
        })) {
      missing.push_back(r);
    }
  }
  return DeadlineError(RankList(missing),
                       missing.size() == 1 ? " has" : " have",
                       " not come to ",
                       options_.coordinator.Text(),
                       " within ",
                       options_.deadline_s,
                       " s; ",
                       cards.size(),
                       " of ",
                       own_.size,
                       " ranks are there, ",
                       own_.Describe(),
                       " among them. Were all started, and can they reach "
                       "this address?");
}

bool HostSide::HandleNext(std::int64_t until_ns) {
  void* raw = nullptr;
  bool ok = false;
  const std::int64_t left = std::max<std::int64_t>(until_ns - NowNanos(), 0);
  if (endpoint_.queue().AsyncNext(
          &raw, &ok, gpr_time_from_nanos(left, GPR_TIMESPAN)) !=
      ::grpc::CompletionQueue::GOT_EVENT) {
    return false;
  }
  const StreamTag& tag = *static_cast<StreamTag*>(raw);
  tag.stream->Ended(tag.op);
  if (endpoint_.IsAccept(tag.stream)) {
    if (auto stream = endpoint_.Accepted(ok)) OnAccepted(std::move(stream));
    return true;
  }
  const auto it = guests_.find(tag.stream);
  if (it == guests_.end()) return true;
  Guest& guest = it->second;
  if (tag.op == StreamOp::kRead) OnRead(guest, ok);
  if (tag.op == StreamOp::kWrite) guest.stream->Finish(::grpc::Status::OK);
  return true;
}

void HostSide::OnAccepted(std::unique_ptr<ServerStream> stream) {
  const StreamName name = stream->name();
  const Stream* const key = stream.get();
  if (name.token != options_.token) {
    stream->Finish(
        ::grpc::Status(::grpc::StatusCode::UNAUTHENTICATED,
                       "it belongs to another run (the run token differs)"));
    endpoint_.Keep(std::move(stream));
  } else if (name.method == kJoin) {
    stream->Read();
    guests_[key].stream = std::move(stream);
  } else {
    early_.push_back(std::move(stream));
  }
}

void HostSide::OnRead(Guest& guest, bool ok) {
  if (answering_) return;
  if (!ok) {
    if (guest.card.has_value()) {
      Fail(PeerLostError(guest.card->Describe(),
                         " has ended before all ranks were there"));
    }
    return;
  }
  const auto json = Json::Parse(Unpack(guest.stream->received()), "a card");
  auto card =
      json.ok() ? RankCard::FromJson(*json) : StatusOr<RankCard>(json.status());
  if (!card.ok()) {
    Fail(MismatchError("a rank of another version of Gyre came to ",
                       options_.coordinator.Text(),
                       ": ",
                       Message(card.status())));
    return;
  }
  // Its address is where its connection comes from; what comes from this
  // machine itself is reached as rank 0 is.
  const auto from = Address::OfPeer(guest.stream->peer());
  if (from.ok() && !from->local()) card->address = from->host;
  guest.card = *std::move(card);
  const Status fit = CheckCards(Cards(), own_.size);
  if (!fit.ok()) Fail(fit);
  guest.stream->Read();  // ends when the rank does
}

void HostSide::Fail(const Status& why) {
  if (failure_.ok()) failure_ = why;
}

void HostSide::Answer(const StatusOr<Roster>& reply) {
  answering_ = true;
  const ::grpc::ByteBuffer bytes = Pack(EncodeReply(reply));
  for (auto& [key, guest] : guests_) guest.stream->Write(bytes);
  const std::int64_t until = NowNanos() + kAnswerNs;
  const auto done = [&] {
    return std::all_of(guests_.begin(), guests_.end(), [](const auto& entry) {
      return entry.second.stream->idle();
    });
  };
  while (!done() && NowNanos() < until) HandleNext(until);
  for (auto& [key, guest] : guests_) endpoint_.Keep(std::move(guest.stream));
  guests_.clear();
}

}  // namespace gyre::internal::inline collectives::roster

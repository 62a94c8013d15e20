#include "gyre/collectives/local/local_channel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/collectives/describe.h"
#include "gyre/core/check.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

// Bodies up to this are copied when they are sent.
constexpr std::size_t kCopiedBytes = std::size_t{16} << 10;
// An odd number, so that pieces cut elements as those of a network do.
constexpr std::size_t kPieceBytes = (std::size_t{256} << 10) + 3;

}  // namespace

LocalChannel::LocalChannel(std::shared_ptr<LocalHub> hub,
                           std::uint32_t group,
                           std::vector<int> members,
                           int me)
    : hub_(std::move(hub)),
      group_(group),
      members_(std::move(members)),
      me_(me),
      inboxes_(members_.size()) {}

LocalChannel::~LocalChannel() {
  for (const auto& message : outstanding_)
    hub_->Withdraw(members_[me_], *message);
}

void LocalChannel::Send(int to,
                        std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  GYRE_CHECK(to != me_ && to >= 0 && to < size(), "a message to rank ", to);
  auto message = std::make_shared<LocalMessage>();
  message->head.assign(head.begin(), head.end());
  message->body = body;
  if (body.size() <= kCopiedBytes) {
    message->copy.assign(body.begin(), body.end());
    message->body = message->copy;
  } else {
    outstanding_.push_back(message);
  }
  hub_->Put(group_, members_[me_], members_[to], std::move(message));
}

void LocalChannel::Receive(int from, MessageSink* sink) {
  GYRE_CHECK(
      from != me_ && from >= 0 && from < size(), "a message from rank ", from);
  inboxes_[from].sinks.push_back(sink);
}

StatusOr<LocalChannel::Step> LocalChannel::ReadPiece(
    Inbox& inbox, const LocalMessage& message) {
  MessageSink* const sink = inbox.sinks.front();
  if (!inbox.open) {
    GYRE_RETURN_IF_ERROR(sink->OnHead(message.head, message.body.size()));
    inbox.open = true;
    inbox.offset = 0;
    inbox.destination = sink->Destination();
    return Step::kHead;
  }
  // The body of a lost message never comes.
  if (message.lost && message.copy.empty()) return Step::kNothing;
  std::span<const std::byte> piece = message.body.subspan(inbox.offset);
  piece = piece.first(std::min(piece.size(), kPieceBytes));
  if (piece.empty()) return Step::kBody;
  if (inbox.destination != nullptr) {
    std::byte* const to = inbox.destination + inbox.offset;
    std::memcpy(to, piece.data(), piece.size());
    piece = {to, piece.size()};
  }
  sink->OnBody(inbox.offset, piece);
  inbox.offset += piece.size();
  return Step::kBody;
}

StatusOr<LocalChannel::Step> LocalChannel::TakePiece(int from) {
  Inbox& inbox = inboxes_[from];
  if (inbox.sinks.empty()) return Step::kNothing;
  const int world_from = members_[from];
  const auto message = hub_->BeginPiece(group_, world_from, members_[me_]);
  if (message == nullptr) return Step::kNothing;
  const StatusOr<Step> step = ReadPiece(inbox, *message);
  const bool news = step.ok() && *step != Step::kNothing;
  const bool last = news && inbox.offset == message->body.size();
  hub_->EndPiece(group_, world_from, members_[me_], news, last);
  if (last) {
    MessageSink* const sink = inbox.sinks.front();
    inbox.sinks.pop_front();
    inbox.open = false;
    sink->OnEnd();
  }
  return step;
}

StatusOr<LocalChannel::Step> LocalChannel::TakeFromAll() {
  Step most = Step::kNothing;
  for (int r = 0; r < size(); ++r) {
    if (r == me_) continue;
    GYRE_ASSIGN_OR_RETURN(const Step step, TakePiece(r));
    most = std::max(most, step);
  }
  return most;
}

bool LocalChannel::AllSent() {
  std::erase_if(outstanding_,
                [&](const auto& message) { return hub_->IsDone(*message); });
  return outstanding_.empty();
}

std::vector<int> LocalChannel::WorldRanks(
    const std::vector<LatePeer>& late) const {
  std::vector<int> ranks;
  for (const LatePeer& peer : late) ranks.push_back(members_[peer.rank]);
  return ranks;
}

Status LocalChannel::Late(const std::vector<LatePeer>& late,
                          const Waiting& waiting,
                          std::int64_t waited_ns) const {
  const std::vector<int> ranks = WorldRanks(late);
  if (ranks.empty()) {
    return DeadlineError("the data of this rank was not taken by others in ",
                         DescribeCall(waiting));
  }
  return LateError(ranks,
                   late.front().entered,
                   waiting,
                   waited_ns,
                   hub_->LastSeen(ranks.front(), late.front().last_call));
}

Status LocalChannel::Drive(const std::function<bool()>& done,
                           bool sent,
                           const Waiting& waiting,
                           const std::function<std::vector<LatePeer>()>& late) {
  std::int64_t start = NowNanos();
  while (true) {
    const std::uint64_t news = hub_->news(members_[me_]);
    if (done() && (!sent || AllSent())) return OkStatus();
    GYRE_ASSIGN_OR_RETURN(Step step, TakeFromAll());
    if (step == Step::kBody) start = NowNanos();
    if (step != Step::kNothing) continue;
    const std::vector<LatePeer> peers = late();
    const Status status =
        hub_->Check(members_[me_], group_, WorldRanks(peers), waiting);
    if (!status.ok()) {
      // Whoever has left or given up may have sent something just before.
      GYRE_ASSIGN_OR_RETURN(step, TakeFromAll());
      if (step != Step::kNothing) continue;
      return status;
    }
    const std::int64_t waited = NowNanos() - start;
    if (waited >= hub_->policy().deadline_ns) {
      return Late(peers, waiting, waited);
    }
    hub_->WaitForNews(members_[me_], news);
  }
}

}  // namespace gyre::internal::inline collectives

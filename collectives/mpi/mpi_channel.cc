#include "gyre/collectives/mpi/mpi_channel.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "gyre/core/check.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

// Chunks of one message that are under way at a time.
constexpr int kChunksInFlight = 4;

// How to wait for what MPI cannot wake us for: polls at first, then gives the
// processor away, then sleeps longer and longer, at most half a millisecond.
class Patience {
 public:
  explicit Patience(std::int64_t spin_ns) : spin_ns_(spin_ns) {}

  void Reset() { idle_since_ = 0; }
  void Wait() {
    const std::int64_t now = NowNanos();
    if (idle_since_ == 0) idle_since_ = now;
    const std::int64_t idle = now - idle_since_;
    if (idle < spin_ns_) return;
    if (idle < spin_ns_ + kYieldNs) {
      ::sched_yield();
      return;
    }
    const std::int64_t sleep =
        std::clamp<std::int64_t>(idle / 8, 20'000, kMaxNs);
    const timespec time = {0, static_cast<long>(sleep)};
    ::nanosleep(&time, nullptr);
  }

 private:
  static constexpr std::int64_t kYieldNs = 100'000;
  static constexpr std::int64_t kMaxNs = 500'000;
  std::int64_t spin_ns_;
  std::int64_t idle_since_ = 0;
};

}  // namespace

MpiChannel::MpiChannel(std::shared_ptr<MpiEngine> engine,
                       std::uint32_t group,
                       std::vector<int> members,
                       int me)
    : engine_(std::move(engine)),
      group_(group),
      members_(std::move(members)),
      me_(me),
      outboxes_(members_.size()),
      inboxes_(members_.size()) {}

MpiChannel::~MpiChannel() {
  for (Inbox& inbox : inboxes_) {
    for (Chunk& chunk : inbox.chunks) engine_->Cancel(&chunk.request);
  }
}

void MpiChannel::Send(int to,
                      std::span<const std::byte> head,
                      std::span<const std::byte> body) {
  GYRE_CHECK(to != me_ && to >= 0 && to < size(), "a message to rank ", to);
  const StatusOr<int> tag =
      engine_->SendEnvelope(members_[to], group_, head, body);
  if (!tag.ok()) {
    send_error_ = tag.status();
  } else if (*tag != 0) {
    outboxes_[to].push_back({body, *tag, std::make_shared<int>(0)});
  }
}

void MpiChannel::Receive(int from, MessageSink* sink) {
  GYRE_CHECK(
      from != me_ && from >= 0 && from < size(), "a message from rank ", from);
  inboxes_[from].sinks.push_back(sink);
}

StatusOr<bool> MpiChannel::SendChunks(int to) {
  bool any = false;
  while (!outboxes_[to].empty()) {
    OutBody& body = outboxes_[to].front();
    if (engine_->InFlight(body.in_flight) >= kChunksInFlight) break;
    const std::size_t n = std::min(body.rest.size(), kMpiChunkBytes);
    GYRE_RETURN_IF_ERROR(engine_->SendChunk(
        members_[to], body.tag, body.rest.first(n), body.in_flight));
    body.rest = body.rest.subspan(n);
    ++moved_;
    any = true;
    if (body.rest.empty()) outboxes_[to].pop_front();
  }
  return any;
}

StatusOr<bool> MpiChannel::Begin(int from, Inbox& inbox) {
  if (inbox.sinks.empty()) return false;
  inbox.message = engine_->Next(group_, members_[from]);
  if (!inbox.message.has_value()) return false;
  MessageSink* const sink = inbox.sinks.front();
  const MpiIncoming& message = *inbox.message;
  GYRE_RETURN_IF_ERROR(sink->OnHead(message.head, message.body_bytes));
  inbox.destination = sink->Destination();
  inbox.asked = 0;
  inbox.taken = 0;
  if (message.tag != 0) return true;
  std::span<const std::byte> body = message.body;
  if (inbox.destination != nullptr) {
    std::copy(body.begin(), body.end(), inbox.destination);
    body = {inbox.destination, body.size()};
  }
  if (!body.empty()) sink->OnBody(0, body);
  End(inbox);
  return true;
}

void MpiChannel::End(Inbox& inbox) {
  MessageSink* const sink = inbox.sinks.front();
  inbox.sinks.pop_front();
  inbox.message.reset();
  sink->OnEnd();
}

Status MpiChannel::AskForChunks(int from, Inbox& inbox) {
  const std::size_t bytes = inbox.message->body_bytes;
  while (inbox.asked < bytes && inbox.chunks.size() < kChunksInFlight) {
    const std::size_t n = std::min(bytes - inbox.asked, kMpiChunkBytes);
    Chunk& chunk = inbox.chunks.emplace_back();
    if (inbox.destination != nullptr) {
      chunk.to = {inbox.destination + inbox.asked, n};
    } else {
      chunk.own.resize(n);
      chunk.to = chunk.own;
    }
    inbox.asked += n;
    GYRE_RETURN_IF_ERROR(engine_->StartReceive(
        members_[from], inbox.message->tag, chunk.to, &chunk.request));
  }
  return OkStatus();
}

StatusOr<bool> MpiChannel::TakeChunk(Inbox& inbox) {
  if (inbox.chunks.empty()) return false;
  GYRE_ASSIGN_OR_RETURN(const bool came,
                        engine_->Test(&inbox.chunks.front().request));
  if (!came) return false;
  const Chunk chunk = std::move(inbox.chunks.front());
  inbox.chunks.pop_front();
  ++moved_;
  inbox.sinks.front()->OnBody(inbox.taken, chunk.to);
  inbox.taken += chunk.to.size();
  if (inbox.taken == inbox.message->body_bytes) End(inbox);
  return true;
}

StatusOr<bool> MpiChannel::TakeFrom(int from) {
  Inbox& inbox = inboxes_[from];
  bool any = false;
  if (!inbox.message.has_value()) {
    GYRE_ASSIGN_OR_RETURN(any, Begin(from, inbox));
  }
  if (!inbox.message.has_value()) return any;
  GYRE_RETURN_IF_ERROR(AskForChunks(from, inbox));
  GYRE_ASSIGN_OR_RETURN(const bool took, TakeChunk(inbox));
  return any || took;
}

StatusOr<bool> MpiChannel::Step() {
  GYRE_RETURN_IF_ERROR(send_error_);
  GYRE_ASSIGN_OR_RETURN(bool any, engine_->Poll());
  for (int r = 0; r < size(); ++r) {
    if (r == me_) continue;
    GYRE_ASSIGN_OR_RETURN(const bool sent, SendChunks(r));
    GYRE_ASSIGN_OR_RETURN(const bool took, TakeFrom(r));
    any = any || sent || took;
  }
  return any;
}

bool MpiChannel::AllSent() const {
  return std::all_of(outboxes_.begin(),
                     outboxes_.end(),
                     [](const auto& outbox) { return outbox.empty(); });
}

std::vector<int> MpiChannel::WorldRanks(
    const std::vector<LatePeer>& late) const {
  std::vector<int> ranks;
  for (const LatePeer& peer : late) ranks.push_back(members_[peer.rank]);
  return ranks;
}

Status MpiChannel::Idle(const std::vector<LatePeer>& late,
                        const Waiting& waiting,
                        std::int64_t waited_ns) {
  const std::vector<int> ranks = WorldRanks(late);
  GYRE_RETURN_IF_ERROR(engine_->Check(group_, ranks, waiting));
  if (waited_ns < engine_->policy().deadline_ns) return OkStatus();
  if (ranks.empty()) {
    return DeadlineError("the data of this rank was not taken by others in ",
                         DescribeCall(waiting));
  }
  const LatePeer& first = late.front();
  return LateError(
      ranks,
      first.entered,
      waiting,
      waited_ns,
      first.last_call.empty() ? "it has made no call yet" : first.last_call);
}

Status MpiChannel::Drive(const std::function<bool()>& done,
                         bool sent,
                         const Waiting& waiting,
                         const std::function<std::vector<LatePeer>()>& late) {
  Patience patience(engine_->policy().spin_ns);
  std::int64_t start = NowNanos();
  std::uint64_t moved = moved_;
  Status problem;
  while (true) {
    if (done() && (!sent || AllSent())) return OkStatus();
    GYRE_ASSIGN_OR_RETURN(const bool any, Step());
    if (any) {
      patience.Reset();
      if (moved_ != moved) start = NowNanos();
      moved = moved_;
      problem = OkStatus();
      continue;
    }
    // Whoever has left or given up may have sent something just before: an
    // error counts when another look around finds nothing.
    if (!problem.ok()) return problem;
    problem = Idle(late(), waiting, NowNanos() - start);
    if (problem.ok()) patience.Wait();
  }
}

}  // namespace gyre::internal::inline collectives

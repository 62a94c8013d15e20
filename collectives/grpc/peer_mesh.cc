#include "gyre/collectives/grpc/peer_mesh.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

// How often the others are told what this rank is busy with, at most.
constexpr std::int64_t kActivityNs = 100'000'000;
// How long a rank is gone before this one ends because of it.
constexpr std::int64_t kSettleNs = 200'000'000;
// How long a rank that gives up takes to tell the others.
constexpr std::int64_t kAbortNs = 500'000'000;
// How long a rank that fails in a group does: its caller may have a deadline.
constexpr std::int64_t kFailNs = 50'000'000;

}  // namespace

PeerMesh::PeerMesh(MeshOptions options,
                   std::unique_ptr<Endpoint> endpoint,
                   std::vector<std::unique_ptr<ServerStream>> early)
    : options_(std::move(options)),
      pid_(::getpid()),
      endpoint_(std::move(endpoint)),
      driver_(
          endpoint_->queue(),
          [this](const StreamEvent& event) { OnEvent(event); },
          [this](const StreamEvent& event) { OnDataEnd(*event.stream); }),
      peers_(options_.peers.size()) {
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  for (auto& stream : early) Admit(std::move(stream));
}

PeerMesh::~PeerMesh() {
  if (!CheckProcess().ok()) {
    // gRPC's threads are not in this process: nothing of it can be ended.
    static_cast<void>(endpoint_.release());
    for (Peer& peer : peers_) static_cast<void>(peer.control.release());
    return;
  }
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  for (Peer& peer : peers_) {
    if (peer.control != nullptr) peer.control->Cancel();
  }
  for (auto& [key, stream] : retired_) stream->Cancel();
  for (auto& [group, streams] : incoming_) {
    for (Incoming& incoming : streams) incoming.stream->Cancel();
  }
  endpoint_->Close();
}

Status PeerMesh::CheckProcess() const {
  if (::getpid() == pid_) return OkStatus();
  return ConfigError("process ",
                     ::getpid(),
                     " was forked off rank ",
                     rank(),
                     " (process ",
                     pid_,
                     "): a forked process cannot use the rank's connections; "
                     "start other programs with exec, and fork before "
                     "joining the world");
}

Status PeerMesh::Connect() {
  std::unique_lock<std::mutex> lock(driver_.mutex());
  for (int r = 0; r < rank(); ++r) {
    ChannelTo(r);
    Peer& peer = peers_[r];
    peer.control = std::make_unique<ClientStream>(
        peer.channel,
        endpoint_->queue(),
        StreamName{kControlMethod, rank(), 0, options_.token});
    control_of_[peer.control.get()] = r;
  }
  peers_[rank()].state = State::kHere;
  const std::int64_t until = NowNanos() + options_.deadline_ns;
  const bool done = WorkUntil(lock, until, [&] {
    return !RanksIn(State::kLost).empty() || RanksIn(State::kAbsent).empty();
  });
  const std::vector<int> lost = RanksIn(State::kLost);
  if (!lost.empty()) {
    return PeerLostError("rank ",
                         lost.front(),
                         " could not be reached: ",
                         peers_[lost.front()].trouble);
  }
  if (done) return OkStatus();
  return DeadlineError(RankList(RanksIn(State::kAbsent)),
                       " did not connect within ",
                       options_.deadline_ns * 1e-9,
                       " s");
}

void PeerMesh::Leave() {
  if (!CheckProcess().ok()) return;
  std::unique_lock<std::mutex> lock(driver_.mutex());
  leaving_ = true;
  if (gave_up_.has_value()) {
    TellAbort(lock);
    return;
  }
  for (int r = 0; r < size(); ++r) {
    if (!peers_[r].writable) continue;
    Post(r,
         {.kind = ControlKind::kLeave, .number = peers_[r].dialed, .text = ""});
  }
  const std::int64_t until = NowNanos() + options_.deadline_ns;
  WorkUntil(lock, until, [&] {
    if (gave_up_.has_value()) return true;
    return std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
      return !peer.writable || peer.state == State::kLost ||
             (peer.outbox.empty() &&
              !peer.control->UnderWay(StreamOp::kWrite) &&
              (peer.left_acknowledged || peer.state == State::kLeft));
    });
  });
}

bool PeerMesh::WorkUntil(std::unique_lock<std::mutex>& lock,
                         std::int64_t until_ns,
                         const std::function<bool()>& done) {
  std::vector<StreamEvent> none;
  while (!done()) {
    const std::int64_t now = NowNanos();
    if (now >= until_ns) return false;
    // In slices: another thread may be at the queue.
    driver_.Wait(lock, nullptr, std::min(until_ns, now + 50'000'000), none);
  }
  return true;
}

std::vector<int> PeerMesh::RanksIn(State state) const {
  std::vector<int> ranks;
  for (int r = 0; r < size(); ++r) {
    if (peers_[r].state == state) ranks.push_back(r);
  }
  return ranks;
}

Status PeerMesh::CheckGroup(std::uint32_t group,
                            std::span<const int> needed,
                            const Waiting& waiting) {
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  return failures_.Check(group, needed, waiting);
}

Status PeerMesh::Check(std::span<const int> needed, const Waiting& waiting) {
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  if (activity_dirty_) FlushActivity();
  if (gave_up_ == rank()) {
    return PeerLostError("this rank gave up: ", gave_up_why_);
  }
  if (gave_up_.has_value()) {
    return GaveUpError(*gave_up_, gave_up_why_, waiting);
  }
  // A rank may be gone for a cause that another one tells, by a connection
  // that is read a moment later.
  const std::int64_t settled = NowNanos() - kSettleNs;
  for (const int r : needed) {
    if (peers_[r].gone_ns <= settled && peers_[r].state == State::kLeft &&
        AllIn(peers_[r])) {
      return LeftError(r, waiting);
    }
  }
  for (int r = 0; r < size(); ++r) {
    if (peers_[r].gone_ns <= settled && peers_[r].state == State::kLost) {
      return LostError(r, peers_[r].trouble, waiting);
    }
  }
  return OkStatus();
}

std::string PeerMesh::LastSeen(int rank) {
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  const Peer& peer = peers_[rank];
  const std::string text = DescribeActivity(peer.step - 1, peer.activity);
  return text.empty() ? "" : Cat("last seen in ", text);
}

void PeerMesh::Abort(const Status& why) {
  if (!CheckProcess().ok()) return;
  std::unique_lock<std::mutex> lock(driver_.mutex());
  if (!gave_up_.has_value()) {
    gave_up_ = rank();
    gave_up_why_ = Message(why);
  }
  TellAbort(lock);
}

// Also when another rank has given up: this one is about to end for that, and
// its end could be seen before the word of the other one is heard.
void PeerMesh::TellAbort(std::unique_lock<std::mutex>& lock) {
  if (abort_told_) return;
  abort_told_ = true;
  PostAll(
      {.kind = ControlKind::kAbort, .number = *gave_up_, .text = gave_up_why_});
  std::vector<int> all(size());
  std::iota(all.begin(), all.end(), 0);
  Flush(lock, all, kAbortNs);
}

void PeerMesh::FailGroup(std::uint32_t group,
                         std::span<const int> members,
                         const GroupFailure& failure) {
  if (!CheckProcess().ok()) return;
  std::unique_lock<std::mutex> lock(driver_.mutex());
  for (const int r : members) {
    if (!peers_[r].writable) continue;
    Post(r,
         {.kind = ControlKind::kFail,
          .number = static_cast<std::int64_t>(failure.sequence),
          .text = FailText(group, failure)});
  }
  Flush(lock, members, kFailNs);
}

void PeerMesh::Flush(std::unique_lock<std::mutex>& lock,
                     std::span<const int> ranks,
                     std::int64_t for_ns) {
  WorkUntil(lock, NowNanos() + for_ns, [&] {
    return std::all_of(ranks.begin(), ranks.end(), [&](int r) {
      const Peer& peer = peers_[r];
      return !peer.writable ||
             (peer.outbox.empty() && !peer.control->UnderWay(StreamOp::kWrite));
    });
  });
}

void PeerMesh::SetActivity(std::int64_t step, std::string_view what) {
  if (!CheckProcess().ok()) return;
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  step_ = step < 0 ? 0 : step + 1;
  activity_ = what;
  activity_dirty_ = true;
  FlushActivity();
}

void PeerMesh::FlushActivity() {
  const std::int64_t now = NowNanos();
  if (now - activity_sent_ns_ < kActivityNs) return;
  activity_sent_ns_ = now;
  activity_dirty_ = false;
  for (int r = 0; r < size(); ++r) {
    peers_[r].activity_due = true;
    Pump(r);
  }
}

void PeerMesh::Post(int rank, ControlMessage message) {
  peers_[rank].outbox.push_back(std::move(message));
  Pump(rank);
}

void PeerMesh::PostAll(const ControlMessage& message) {
  for (int r = 0; r < size(); ++r) {
    if (peers_[r].writable) Post(r, message);
  }
}

void PeerMesh::Pump(int rank) {
  Peer& peer = peers_[rank];
  if (!peer.writable || peer.control->UnderWay(StreamOp::kWrite)) return;
  if (!peer.outbox.empty()) {
    peer.control->Write(Encode(peer.outbox.front()));
    peer.outbox.pop_front();
  } else if (peer.activity_due) {
    peer.activity_due = false;
    peer.control->Write(Encode({ControlKind::kActivity, step_, activity_}));
  }
}

}  // namespace gyre::internal::inline collectives

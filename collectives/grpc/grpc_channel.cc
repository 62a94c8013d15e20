#include "gyre/collectives/grpc/grpc_channel.h"

#include <algorithm>
#include <utility>

#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

// How long the queue is waited for at a time: bounds how late this rank sees
// what another of its threads did.
constexpr std::int64_t kSliceNs = 20'000'000;
// A reference to a body that outlives its write is looked for this often.
constexpr std::int64_t kReleaseSliceNs = 1'000'000;
// A stream may end before the word comes that tells why.
constexpr std::int64_t kTroubleNs = 500'000'000;
// How long a channel that is given up tries to send heads, and then waits for
// its streams to let go of bodies.
constexpr std::int64_t kLastWordsNs = 100'000'000;
constexpr std::int64_t kReleaseNs = 5'000'000'000;
// Chunks that are read before there is a sink for them.
constexpr std::size_t kMaxChunksHeld = 2;

}  // namespace

GrpcChannel::GrpcChannel(std::shared_ptr<PeerMesh> mesh,
                         std::uint32_t group,
                         std::vector<int> members)
    : mesh_(std::move(mesh)),
      group_(group),
      members_(std::move(members)),
      group_rank_of_(mesh_->size(), -1),
      peers_(members_.size()) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    group_rank_of_[members_[i]] = static_cast<int>(i);
    if (members_[i] == mesh_->rank()) me_ = static_cast<int>(i);
  }
  inbox_.at_once = [this](const StreamEvent& event) {
    return HandleOut(event);
  };
}

GrpcChannel::~GrpcChannel() {
  if (!mesh_->CheckProcess().ok()) {
    for (Peer& peer : peers_) {
      static_cast<void>(peer.out.release());
      static_cast<void>(peer.in.release());
    }
    return;
  }
  Drain();
  // The events that are still on their way go to the mesh, with the streams.
  const std::lock_guard<std::mutex> lock(mesh_->driver().mutex());
  for (const StreamEvent& event : inbox_.events) event.stream->Ended(event.op);
  for (int r = 0; r < size(); ++r) {
    Peer& peer = peers_[r];
    if (peer.out != nullptr) {
      if (!peer.out_ready) {
        peer.out->Cancel();
        mesh_->ForgetDial(members_[r]);
      } else if (!peer.out_ended) {
        peer.out->CloseWrites();
      }
      mesh_->Retire(std::move(peer.out));
    }
    if (peer.in != nullptr) {
      peer.in->Finish(::grpc::Status::OK);
      mesh_->Retire(std::move(peer.in));
    }
  }
}

// Until gRPC holds no body any more: by having sent it, or by force. Messages
// of which nothing is sent yet go out as heads without bodies.
void GrpcChannel::Drain() {
  std::unique_lock<std::mutex> lock(mesh_->driver().mutex());
  for (Peer& peer : peers_) {
    peer.sinks.clear();
    peer.chunks.clear();
    if (!peer.queue.empty() && peer.queue.front().started()) {
      peer.queue.clear();
    }
    // Nothing can follow a message that lacks its body.
    const auto cut = std::find_if(
        peer.queue.begin(), peer.queue.end(), [](OutgoingMessage& message) {
          return message.DropBody();
        });
    if (cut != peer.queue.end()) {
      peer.queue.erase(cut + 1, peer.queue.end());
    }
  }
  lock.unlock();
  DrainUntil(NowNanos() + kLastWordsNs);
  if (!AllSent()) {
    lock.lock();
    for (Peer& peer : peers_) {
      peer.queue.clear();
      if (peer.out == nullptr) continue;
      peer.out->Cancel();
      peer.cancelled = true;
    }
    lock.unlock();
    DrainUntil(NowNanos() + kReleaseNs);
  }
}

void GrpcChannel::DrainUntil(std::int64_t until_ns) {
  while (!AllSent()) {
    const std::int64_t now = NowNanos();
    if (now >= until_ns) return;
    Work(now + kReleaseSliceNs);
    DropCancelled();
  }
}

// What the peer's window did not let through stays with its stream, and comes
// back only when the stream is gone.
void GrpcChannel::DropCancelled() {
  const std::lock_guard<std::mutex> lock(mesh_->driver().mutex());
  for (int r = 0; r < size(); ++r) {
    Peer& peer = peers_[r];
    if (!peer.cancelled || peer.out == nullptr || !peer.out->idle()) continue;
    if (!peer.out_ready) mesh_->ForgetDial(members_[r]);
    peer.out = nullptr;
  }
}

void GrpcChannel::Work(std::int64_t until_ns) {
  {
    std::unique_lock<std::mutex> lock(mesh_->driver().mutex());
    mesh_->driver().Wait(lock, &inbox_, until_ns, events_);
  }
  for (const StreamEvent& event : events_) Handle(event);
  events_.clear();
}

void GrpcChannel::Send(int to,
                       std::span<const std::byte> head,
                       std::span<const std::byte> body) {
  Peer& peer = peers_[to];
  if (!mesh_->CheckProcess().ok()) return;  // Drive tells
  const std::lock_guard<std::mutex> lock(mesh_->driver().mutex());
  peer.queue.emplace_back(head, body);
  if (peer.out == nullptr) {
    peer.out = mesh_->DialData(members_[to], group_, &inbox_);
  } else {
    StartWrite(peer);
  }
}

void GrpcChannel::Receive(int from, MessageSink* sink) {
  peers_[from].sinks.push_back(sink);
}

void GrpcChannel::StartWrite(Peer& peer) {
  if (peer.out_ended) peer.queue.clear();
  if (!peer.out_ready || peer.queue.empty() ||
      peer.out->UnderWay(StreamOp::kWrite)) {
    return;
  }
  peer.out->Write(peer.queue.front().NextChunk(in_use_));
  if (peer.queue.front().finished()) peer.queue.pop_front();
}

void GrpcChannel::StartRead(Peer& peer) {
  if (peer.in_ended || peer.in->UnderWay(StreamOp::kRead) ||
      peer.chunks.size() >= kMaxChunksHeld) {
    return;
  }
  peer.in->Read();
}

void GrpcChannel::TakeIncoming() {
  const auto wanted = [this](int rank) {
    const int from = group_rank_of_[rank];
    return from >= 0 && peers_[from].in == nullptr;
  };
  for (auto& [rank, stream] : mesh_->TakeIncoming(group_, &inbox_, wanted)) {
    Peer& peer = peers_[group_rank_of_[rank]];
    peer.in = std::move(stream);
    StartRead(peer);
  }
}

void GrpcChannel::Handle(const StreamEvent& event) {
  event.stream->Ended(event.op);
  for (Peer& peer : peers_) {
    if (event.stream == peer.in.get()) HandleIn(peer, event);
  }
}

bool GrpcChannel::HandleOut(const StreamEvent& event) {
  const auto it =
      std::find_if(peers_.begin(), peers_.end(), [&](const Peer& peer) {
        return peer.out.get() == event.stream;
      });
  if (it == peers_.end()) return false;
  event.stream->Ended(event.op);
  Peer& peer = *it;
  if (event.op == StreamOp::kStart && event.ok) {
    peer.out_ready = true;
    peer.out->Read();  // ends when the peer does
  }
  if (event.op == StreamOp::kWrite) progress_ns_ = NowNanos();
  if (event.op == StreamOp::kRead || !event.ok) peer.out_ended = true;
  StartWrite(peer);
  return true;
}

void GrpcChannel::HandleIn(Peer& peer, const StreamEvent& event) {
  if (event.op != StreamOp::kRead) return;
  if (!event.ok) {
    peer.in_ended = true;
    return;
  }
  peer.chunks.emplace_back();
  peer.chunks.back().Swap(&peer.in->received());
  // The next chunk comes in while this one is worked on.
  StartRead(peer);
}

StatusOr<bool> GrpcChannel::TakeChunks() {
  bool any = false;
  for (Peer& peer : peers_) {
    GYRE_ASSIGN_OR_RETURN(const bool taken, TakeChunks(peer));
    any = any || taken;
  }
  return any;
}

StatusOr<bool> GrpcChannel::TakeChunks(Peer& peer) {
  bool any = false;
  while (!peer.chunks.empty()) {
    if (!peer.message.at_start()) {
      progress_ns_ = NowNanos();
    } else if (peer.sinks.empty()) {
      break;
    }
    const ::grpc::ByteBuffer chunk = std::move(peer.chunks.front());
    peer.chunks.pop_front();
    GYRE_ASSIGN_OR_RETURN(const bool complete,
                          peer.message.Take(chunk, peer.sinks.front()));
    if (complete) peer.sinks.pop_front();
    any = true;
    StartRead(peer);
  }
  return any;
}

bool GrpcChannel::AllSent() {
  const std::lock_guard<std::mutex> lock(mesh_->driver().mutex());
  if (in_use_.load() != 0) return false;
  return std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
    return peer.queue.empty() &&
           (peer.out == nullptr || !peer.out->UnderWay(StreamOp::kWrite));
  });
}

Status GrpcChannel::Drive(const std::function<bool()>& done,
                          bool sent,
                          const Waiting& waiting,
                          const std::function<std::vector<LatePeer>()>& late) {
  GYRE_RETURN_IF_ERROR(mesh_->CheckProcess());
  if (broken_.ok()) broken_ = DriveOnce(done, sent, waiting, late);
  return broken_;
}

Status GrpcChannel::DriveOnce(
    const std::function<bool()>& done,
    bool sent,
    const Waiting& waiting,
    const std::function<std::vector<LatePeer>()>& late) {
  const std::int64_t start = NowNanos();
  progress_ns_ = start;
  stream_trouble_ns_ = 0;
  while (true) {
    const bool received = done();
    if (received && (!sent || AllSent())) return OkStatus();
    // `done` may have called Receive.
    GYRE_ASSIGN_OR_RETURN(const bool taken, TakeChunks());
    if (taken) continue;
    TakeIncoming();
    const std::vector<LatePeer> missing = late();
    GYRE_RETURN_IF_ERROR(CheckPeers(missing, waiting));
    const std::int64_t now = NowNanos();
    const std::int64_t deadline = progress_ns_ + mesh_->deadline_ns();
    if (now >= deadline) return Late(missing, waiting, now - start);
    Work(std::min(now + (received ? kReleaseSliceNs : kSliceNs), deadline));
  }
}

Status GrpcChannel::CheckPeers(const std::vector<LatePeer>& late,
                               const Waiting& waiting) {
  std::vector<int> waited_for;
  std::vector<int> needed;
  for (const LatePeer& peer : late) {
    waited_for.push_back(members_[peer.rank]);
    // What has come, but is not taken yet, counts.
    const Peer& from = peers_[peer.rank];
    if (from.in == nullptr || (from.in_ended && from.chunks.empty())) {
      needed.push_back(members_[peer.rank]);
    }
  }
  GYRE_RETURN_IF_ERROR(mesh_->CheckGroup(group_, waited_for, waiting));
  GYRE_RETURN_IF_ERROR(mesh_->Check(needed, waiting));
  // A rank that is waited for ended its stream to this one. Why it did comes
  // by the mesh, a moment later; if nothing comes, this is all there is to
  // say.
  for (const LatePeer& peer : late) {
    const Peer& from = peers_[peer.rank];
    if (!from.in_ended || !from.chunks.empty()) continue;
    const std::int64_t now = NowNanos();
    if (stream_trouble_ns_ == 0) stream_trouble_ns_ = now;
    if (now - stream_trouble_ns_ < kTroubleNs) return OkStatus();
    return PeerLostError("rank ",
                         members_[peer.rank],
                         " has left the group, and will not go on in ",
                         DescribeCall(waiting));
  }
  return OkStatus();
}

Status GrpcChannel::Late(const std::vector<LatePeer>& late,
                         const Waiting& waiting,
                         std::int64_t waited_ns) {
  std::vector<int> ranks;
  for (const LatePeer& peer : late) ranks.push_back(members_[peer.rank]);
  if (ranks.empty()) {
    return DeadlineError("the others do not take what this rank sent in ",
                         DescribeCall(waiting),
                         ", for ",
                         mesh_->deadline_ns() * 1e-9,
                         " s");
  }
  std::string seen = mesh_->LastSeen(ranks.front());
  if (seen.empty()) seen = late.front().last_call;
  if (seen.empty()) seen = "it has joined, but made no call";
  return LateError(ranks, late.front().entered, waiting, waited_ns, seen);
}

}  // namespace gyre::internal::inline collectives

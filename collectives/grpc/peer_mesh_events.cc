// PeerMesh: what streams bring. All of it runs under the driver's mutex.

#include <algorithm>
#include <utility>

#include "gyre/collectives/grpc/peer_mesh.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr char kData[] = "/gyre/data";

}  // namespace

::grpc::Channel& PeerMesh::ChannelTo(int rank) {
  Peer& peer = peers_[rank];
  if (peer.channel == nullptr) {
    peer.channel = endpoint_->Dial(options_.peers[rank].target);
  }
  return *peer.channel;
}

std::unique_ptr<ClientStream> PeerMesh::DialData(int rank,
                                                 std::uint32_t group,
                                                 EventInbox* inbox) {
  ChannelTo(rank);
  auto stream = std::make_unique<ClientStream>(
      peers_[rank].channel,
      endpoint_->queue(),
      StreamName{kData, options_.rank, group, options_.token});
  stream->inbox = inbox;
  ++peers_[rank].dialed;
  return stream;
}

std::vector<PeerMesh::Incoming> PeerMesh::TakeIncoming(
    std::uint32_t group,
    EventInbox* inbox,
    const std::function<bool(int rank)>& wanted) {
  const std::lock_guard<std::mutex> lock(driver_.mutex());
  const auto it = incoming_.find(group);
  if (it == incoming_.end()) return {};
  std::vector<Incoming> taken;
  std::vector<Incoming> rest;
  for (Incoming& incoming : it->second) {
    // Of two streams of one rank, the second belongs to the next channel that
    // has the group's number.
    const bool again =
        std::any_of(taken.begin(), taken.end(), [&](const Incoming& other) {
          return other.rank == incoming.rank;
        });
    const bool take = !again && wanted(incoming.rank);
    if (take) incoming.stream->inbox = inbox;
    (take ? taken : rest).push_back(std::move(incoming));
  }
  it->second = std::move(rest);
  if (it->second.empty()) incoming_.erase(it);
  return taken;
}

void PeerMesh::Retire(std::unique_ptr<Stream> stream) {
  stream->inbox = nullptr;
  OnDataEnd(*stream);
  if (stream->idle()) return;  // gone
  const Stream* const key = stream.get();
  retired_[key] = std::move(stream);
}

void PeerMesh::OnEvent(const StreamEvent& event) {
  event.stream->Ended(event.op);
  if (endpoint_->IsAccept(event.stream)) {
    if (auto stream = endpoint_->Accepted(event.ok)) Admit(std::move(stream));
    return;
  }
  const auto control = control_of_.find(event.stream);
  if (control != control_of_.end()) {
    OnControl(control->second, event);
  } else {
    OnRetired(event);
  }
}

void PeerMesh::Admit(std::unique_ptr<ServerStream> stream) {
  const StreamName name = stream->name();
  const auto refuse = [&](::grpc::StatusCode code, const std::string& why) {
    stream->Finish(::grpc::Status(code, why));
    Retire(std::move(stream));
  };
  if (name.token != options_.token) {
    refuse(::grpc::StatusCode::UNAUTHENTICATED,
           "it belongs to another run (the run token differs)");
    return;
  }
  if (name.rank < 0 || name.rank >= size() || name.rank == rank()) {
    refuse(
        ::grpc::StatusCode::INVALID_ARGUMENT,
        Cat("there is no rank ", name.rank, " that could dial rank ", rank()));
    return;
  }
  Peer& peer = peers_[name.rank];
  if (name.method == kData) {
    stream->data_from = name.rank;
    ++peer.accepted;
    ++peer.open;
    incoming_[name.group].push_back({name.rank, std::move(stream)});
  } else if (name.method == kControlMethod && peer.control == nullptr &&
             name.rank > rank()) {
    control_of_[stream.get()] = name.rank;
    peer.control = std::move(stream);
    peer.control->Read();
    peer.writable = true;
    peer.state = State::kHere;
    Post(name.rank, {});
  } else {
    refuse(::grpc::StatusCode::FAILED_PRECONDITION,
           Cat("the world of ",
               size(),
               " ranks is complete, rank ",
               name.rank,
               " is here already"));
  }
}

void PeerMesh::OnControl(int rank, const StreamEvent& event) {
  Peer& peer = peers_[rank];
  const bool client = rank < options_.rank;
  switch (event.op) {
    case StreamOp::kStart:
      if (event.ok) {
        peer.writable = true;
        peer.control->Read();
        Pump(rank);
      } else {
        peer.control->Finish({});
      }
      return;
    case StreamOp::kRead:
      if (!event.ok) {
        peer.writable = false;
        // Only the client's end is told more.
        if (client) {
          peer.control->Finish({});
        } else {
          OnControlEnd(rank, "");
        }
        return;
      }
      if (const auto message = DecodeControl(peer.control->received())) {
        OnControlMessage(rank, *message);
      }
      if (peer.control != nullptr) peer.control->Read();
      return;
    case StreamOp::kWrite:
      if (event.ok) Pump(rank);
      return;
    case StreamOp::kCloseWrites:
      return;
    case StreamOp::kFinish:
      if (client) OnControlEnd(rank, peer.control->status().error_message());
      return;
  }
}

void PeerMesh::OnControlMessage(int rank, const ControlMessage& message) {
  Peer& peer = peers_[rank];
  switch (message.kind) {
    case ControlKind::kHello:
      peer.state = State::kHere;
      return;
    case ControlKind::kActivity:
      peer.step = message.number;
      peer.activity = message.text;
      return;
    case ControlKind::kAbort:
      if (gave_up_.has_value() || message.number < 0 ||
          message.number >= size()) {
        return;
      }
      gave_up_ = static_cast<int>(message.number);
      gave_up_why_ = message.text;
      return;
    case ControlKind::kLeave:
      peer.state = State::kLeft;
      peer.gone_ns = NowNanos();
      peer.announced = message.number;
      Acknowledge(rank);
      return;
    case ControlKind::kLeft:
      peer.left_acknowledged = true;
      return;
    case ControlKind::kFail:
      if (const auto told = ReadFailure(rank, message)) {
        failures_.Add(told->group, told->failure);
      }
      return;
  }
}

void PeerMesh::OnControlEnd(int rank, const std::string& why) {
  Peer& peer = peers_[rank];
  const bool admitted = peer.state != State::kAbsent;
  if (peer.state == State::kLeft || peer.left_acknowledged || leaving_) {
    peer.state = State::kLeft;
    return;
  }
  peer.state = State::kLost;
  peer.gone_ns = NowNanos();
  // Of a rank that was there, gRPC's words tell no more than these.
  const std::string& who = options_.peers[rank].description;
  peer.trouble = admitted || why.empty()
                     ? Cat(who.empty() ? "its process" : who,
                           " has ended, killed or without a word, or its "
                           "connection is broken")
                     : why;
}

// Nothing more comes by this stream.
void PeerMesh::OnDataEnd(Stream& stream) {
  if (stream.data_from < 0) return;
  const int rank = std::exchange(stream.data_from, -1);
  --peers_[rank].open;
  Acknowledge(rank);
}

// A rank that leaves may close its connections when all that it has sent is
// in this process.
void PeerMesh::Acknowledge(int rank) {
  Peer& peer = peers_[rank];
  if (!AllIn(peer) || peer.acknowledged) return;
  peer.acknowledged = true;
  Post(rank, {.kind = ControlKind::kLeft, .number = 0, .text = ""});
}

// Streams on their way out.
void PeerMesh::OnRetired(const StreamEvent& event) {
  const auto it = retired_.find(event.stream);
  if (it != retired_.end() && event.stream->idle()) retired_.erase(it);
}

}  // namespace gyre::internal::inline collectives

// The messages of one group over gRPC: a stream of its own to each peer for
// what this rank sends, and one from each for what it receives.

#ifndef GYRE_COLLECTIVES_GRPC_GRPC_CHANNEL_H_
#define GYRE_COLLECTIVES_GRPC_GRPC_CHANNEL_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/message_frame.h"
#include "gyre/collectives/grpc/peer_mesh.h"
#include "gyre/collectives/message/channel.h"

namespace gyre::internal::inline collectives {

class GrpcChannel final : public MessageChannel {
 public:
  GrpcChannel(std::shared_ptr<PeerMesh> mesh,
              std::uint32_t group,
              std::vector<int> members);
  ~GrpcChannel() override;

  int rank() const override { return me_; }
  int size() const override { return static_cast<int>(members_.size()); }
  void Send(int to,
            std::span<const std::byte> head,
            std::span<const std::byte> body) override;
  void Receive(int from, MessageSink* sink) override;
  Status Drive(const std::function<bool()>& done,
               bool sent,
               const Waiting& waiting,
               const std::function<std::vector<LatePeer>()>& late) override;

 private:
  struct Peer {
    // Outgoing: guarded by the driver's mutex.
    std::unique_ptr<ClientStream> out;
    bool out_ready = false;
    bool out_ended = false;
    bool cancelled = false;
    std::deque<OutgoingMessage> queue;  // the first may be half sent
    // Incoming: of the thread that drives the channel.
    std::unique_ptr<ServerStream> in;
    bool in_ended = false;
    std::deque<::grpc::ByteBuffer> chunks;  // not yet taken: no sink for them
    IncomingMessage message;
    std::deque<MessageSink*> sinks;
  };

  void TakeIncoming();
  void Handle(const StreamEvent& event);
  bool HandleOut(const StreamEvent& event);
  void HandleIn(Peer& peer, const StreamEvent& event);
  void StartWrite(Peer& peer);
  void StartRead(Peer& peer);
  // True when any chunk was taken.
  StatusOr<bool> TakeChunks();
  StatusOr<bool> TakeChunks(Peer& peer);
  bool AllSent();
  Status CheckPeers(const std::vector<LatePeer>& late, const Waiting& waiting);
  Status Late(const std::vector<LatePeer>& late,
              const Waiting& waiting,
              std::int64_t waited_ns);
  Status DriveOnce(const std::function<bool()>& done,
                   bool sent,
                   const Waiting& waiting,
                   const std::function<std::vector<LatePeer>()>& late);
  // Waits for events, and handles them.
  void Work(std::int64_t until_ns);
  void Drain();
  void DrainUntil(std::int64_t until_ns);
  void DropCancelled();

  std::shared_ptr<PeerMesh> mesh_;
  std::uint32_t group_;
  std::vector<int> members_;
  std::vector<int> group_rank_of_;  // by rank of the world; -1: not a member
  int me_ = 0;
  std::vector<Peer> peers_;
  EventInbox inbox_;
  std::atomic<int> in_use_ = 0;
  std::vector<StreamEvent> events_;
  std::atomic<std::int64_t> progress_ns_ = 0;
  std::int64_t stream_trouble_ns_ = 0;
  Status broken_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_GRPC_CHANNEL_H_

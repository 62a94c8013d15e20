// One group's messages through an MpiEngine.

#ifndef GYRE_COLLECTIVES_MPI_MPI_CHANNEL_H_
#define GYRE_COLLECTIVES_MPI_MPI_CHANNEL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "gyre/collectives/message/channel.h"
#include "gyre/collectives/mpi/mpi_engine.h"

namespace gyre::internal::inline collectives {

class MpiChannel final : public MessageChannel {
 public:
  MpiChannel(std::shared_ptr<MpiEngine> engine,
             std::uint32_t group,
             std::vector<int> members,
             int me);
  ~MpiChannel() override;

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
  // A body of which some is still to be handed to MPI.
  struct OutBody {
    std::span<const std::byte> rest;
    int tag;
    std::shared_ptr<int> in_flight;
  };
  struct Chunk {
    std::span<std::byte> to;
    std::vector<std::byte> own;  // where the sink has no place for it
    MPI_Request request = MPI_REQUEST_NULL;
  };
  // What comes from one peer.
  struct Inbox {
    std::deque<MessageSink*> sinks;
    std::optional<MpiIncoming> message;  // the first sink has got its head
    std::byte* destination = nullptr;
    std::size_t asked = 0;  // bytes for which chunks are open
    std::size_t taken = 0;
    std::deque<Chunk> chunks;
  };

  // Each gives true when something has happened.
  StatusOr<bool> Step();
  StatusOr<bool> SendChunks(int to);
  StatusOr<bool> TakeFrom(int from);
  StatusOr<bool> Begin(int from, Inbox& inbox);
  Status AskForChunks(int from, Inbox& inbox);
  StatusOr<bool> TakeChunk(Inbox& inbox);
  void End(Inbox& inbox);

  bool AllSent() const;
  std::vector<int> WorldRanks(const std::vector<LatePeer>& late) const;
  Status Idle(const std::vector<LatePeer>& late,
              const Waiting& waiting,
              std::int64_t waited_ns);

  std::shared_ptr<MpiEngine> engine_;
  std::uint32_t group_;
  std::vector<int> members_;
  int me_;
  std::vector<std::deque<OutBody>> outboxes_;  // by peer
  std::vector<Inbox> inboxes_;                 // by peer
  std::uint64_t moved_ = 0;                    // chunks that came or went
  Status send_error_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MPI_MPI_CHANNEL_H_

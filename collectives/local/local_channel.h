// One group's messages through a LocalHub.

#ifndef GYRE_COLLECTIVES_LOCAL_LOCAL_CHANNEL_H_
#define GYRE_COLLECTIVES_LOCAL_LOCAL_CHANNEL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gyre/collectives/local/local_hub.h"
#include "gyre/collectives/message/channel.h"

namespace gyre::internal::inline collectives {

class LocalChannel final : public MessageChannel {
 public:
  LocalChannel(std::shared_ptr<LocalHub> hub,
               std::uint32_t group,
               std::vector<int> members,
               int me);
  ~LocalChannel() override;

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
  // What comes from one peer.
  struct Inbox {
    std::deque<MessageSink*> sinks;
    bool open = false;  // the first sink has got its head
    std::byte* destination = nullptr;
    std::size_t offset = 0;
  };
  enum class Step { kNothing, kHead, kBody };

  // Takes the next piece of what a peer has sent.
  StatusOr<Step> TakePiece(int from);
  StatusOr<Step> ReadPiece(Inbox& inbox, const LocalMessage& message);
  // A piece from each peer.
  StatusOr<Step> TakeFromAll();
  bool AllSent();
  Status Late(const std::vector<LatePeer>& late,
              const Waiting& waiting,
              std::int64_t waited_ns) const;
  std::vector<int> WorldRanks(const std::vector<LatePeer>& late) const;

  std::shared_ptr<LocalHub> hub_;
  std::uint32_t group_;
  std::vector<int> members_;
  int me_;
  std::vector<Inbox> inboxes_;
  std::deque<std::shared_ptr<LocalMessage>> outstanding_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LOCAL_LOCAL_CHANNEL_H_

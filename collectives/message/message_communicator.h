// The Communicator over messages: gRPC, MPI, or queues between threads.
// README.md has the algorithms, with their steps, bytes and orders.
//
//   auto comm = MessageCommunicator::Join(transport, {});
//
// WARNING 1: Allocate gives plain memory; peers do not see it.

#ifndef GYRE_COLLECTIVES_MESSAGE_MESSAGE_COMMUNICATOR_H_
#define GYRE_COLLECTIVES_MESSAGE_MESSAGE_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gyre/collectives/exchange_communicator.h"
#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/message/message_options.h"
#include "gyre/collectives/message/roll_call.h"
#include "gyre/collectives/message/transport.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline collectives {

class MessageCommunicator final : public ExchangeCommunicator {
 public:
  // The whole world. Meets the other ranks: an error when one does not come.
  // With a placement: reductions in two levels, in the same order.
  static StatusOr<std::unique_ptr<Communicator>> Join(
      std::shared_ptr<Transport> transport,
      const MessageOptions& options,
      HostPlacement placement = {});

  std::string_view backend() const override;
  bool shares_memory() const override;
  std::string_view reduction_order() const override;

  StatusOr<SharedBuffer> Allocate(std::size_t bytes,
                                  const CallSite& site) override;
  StatusOr<std::unique_ptr<Communicator>> Split(std::span<const int> ranks,
                                                const CallSite& site) override;

  void SetActivity(std::int64_t step, std::string_view what) override;
  void Abort(const Status& why) override;

 private:
  // What the communicators of one rank have in common.
  struct World {
    std::shared_ptr<Transport> transport;
    MessageOptions options;
    HostPlacement placement;
    std::uint64_t plan = 0;  // what all ranks must have alike of these two
    std::atomic<std::uint32_t> groups = 0;  // that this rank has numbered
    std::mutex mutex;
    std::vector<AlignedBuffer> blocks;  // of Allocate; guarded by `mutex`
  };

  MessageCommunicator(std::shared_ptr<World> world,
                      std::unique_ptr<MessageChannel> channel,
                      std::vector<int> members,
                      std::uint32_t group);

  Status RunOnce(const Exchange& exchange, const CallSite& site) override;
  void Tell(const GroupFailure& failure) override;
  void Close() override;
  std::unique_ptr<MessageFlow> MakeFlow(const Exchange& exchange);
  Status RunFlow(MessageFlow& flow, const Waiting& waiting);
  // Whom this rank waits for: those who have not entered, if any.
  std::vector<LatePeer> Late(const MessageFlow& flow) const;
  void RunAlone(const Exchange& exchange);
  // Shared memory for the group on this host, where several ranks are on one.
  Status ShareHosts();
  // A number for a new group that no other one of the world has.
  std::uint32_t NumberGroup();

  std::shared_ptr<World> world_;
  std::uint32_t group_;
  std::unique_ptr<MessageFlow> flow_;        // of the present collective
  std::unique_ptr<MessageChannel> channel_;  // null after an error
  RollCall roll_;
  StageBuffer stage_;
  std::unique_ptr<HostStage> host_;  // null: one level
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_MESSAGE_COMMUNICATOR_H_

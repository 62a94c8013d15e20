// The Communicator over shared memory: of threads (local) and of processes
// (shm) alike. README.md has the algorithms, with their steps and bytes.

#ifndef GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_
#define GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/exchange_communicator.h"
#include "gyre/collectives/rendezvous.h"
#include "gyre/collectives/shared_space.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

class SharedCommunicator final : public ExchangeCommunicator {
 public:
  // The whole world. Meets the other ranks: an error when one does not come.
  static StatusOr<std::unique_ptr<Communicator>> Join(
      std::shared_ptr<SharedSpace> space, const WaitPolicy& policy);

  std::string_view backend() const override { return space_->backend(); }
  bool shares_memory() const override { return true; }

  StatusOr<SharedBuffer> Allocate(std::size_t bytes,
                                  const CallSite& site) override;
  StatusOr<std::unique_ptr<Communicator>> Split(std::span<const int> ranks,
                                                const CallSite& site) override;

  void SetActivity(std::int64_t step, std::string_view what) override;
  void Abort(const Status& why) override;

 private:
  SharedCommunicator(std::shared_ptr<SharedSpace> space,
                     GroupBlock block,
                     std::vector<int> members,
                     int me,
                     WaitPolicy policy,
                     std::uint8_t axis);

  Status RunOnce(const Exchange& exchange, const CallSite& site) override;
  void Tell(const GroupFailure& failure) override { rendezvous_.Fail(failure); }

  void Publish(const Exchange& exchange,
               const CallSite& site,
               std::uint32_t phase);
  // Arrives and waits for the others.
  Status Meet(const Exchange& exchange, const CallSite& site);
  // Holds all ranks' records against each other.
  Status Agree(std::uint32_t phase);
  bool AllDirect(std::uint32_t phase) const;

  Status RunDirect(const Exchange& exchange,
                   const CallSite& site,
                   std::uint32_t phase);
  Status RunStaged(const Exchange& exchange, const CallSite& site);
  void TakeFromStages(const Exchange& exchange,
                      std::uint32_t phase,
                      std::size_t first,
                      std::size_t count);

  std::shared_ptr<SharedSpace> space_;
  GroupBlock block_;
  WaitPolicy policy_;
  Rendezvous rendezvous_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_

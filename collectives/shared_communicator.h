// The Communicator over shared memory: of threads (local) and of processes
// (shm) alike. README.md has the algorithms, with their steps and bytes.

#ifndef GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_
#define GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/control_area.h"
#include "collectives/exchange.h"
#include "collectives/rendezvous.h"
#include "collectives/shared_space.h"
#include "mesh/communicator.h"

namespace gyre {

class SharedCommunicator final : public Communicator {
 public:
  // The whole world. Meets the other ranks: an error when one does not come.
  static StatusOr<std::unique_ptr<Communicator>> Join(
      std::shared_ptr<SharedSpace> space, const WaitPolicy& policy);

  int rank() const override { return me_; }
  int size() const override { return static_cast<int>(members_.size()); }
  std::string_view backend() const override { return space_->backend(); }

  StatusOr<SharedBuffer> Allocate(std::size_t bytes,
                                  const CallSite& site) override;
  Status AllReduce(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   ReduceOp op,
                   const CallSite& site) override;
  Status ReduceScatter(const void* in,
                       void* out,
                       std::size_t count,
                       DType dtype,
                       ReduceOp op,
                       const CallSite& site) override;
  Status AllGather(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   const CallSite& site) override;
  Status Broadcast(void* data,
                   std::size_t count,
                   DType dtype,
                   int root,
                   const CallSite& site) override;
  Status AllToAll(const void* in,
                  void* out,
                  std::size_t count,
                  DType dtype,
                  const CallSite& site) override;
  Status Permute(const void* in,
                 void* out,
                 std::size_t count,
                 DType dtype,
                 std::span<const int> sources,
                 const CallSite& site) override;
  Status Barrier(const CallSite& site) override;
  StatusOr<std::unique_ptr<Communicator>> Split(std::span<const int> ranks,
                                                const CallSite& site) override;

  std::span<const ControlRecord> records() const override { return records_; }
  void SetActivity(std::int64_t step, std::string_view what) override;
  void Abort(const Status& why) override;

 private:
  SharedCommunicator(std::shared_ptr<SharedSpace> space,
                     GroupBlock block,
                     std::vector<int> members,
                     int me,
                     WaitPolicy policy,
                     std::uint8_t axis);

  // One collective from entry to end; after an error all further ones fail.
  Status Run(const Exchange& exchange, const CallSite& site);
  Status RunOnce(const Exchange& exchange, const CallSite& site);

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

  // Every rank's `mine`, by rank.
  template <class T>
  StatusOr<std::vector<T>> Gather(CollectiveKind kind,
                                  std::size_t announced,
                                  const T& mine,
                                  const CallSite& site);
  StatusOr<std::vector<std::vector<int>>> GatherLists(
      std::span<const int> ranks, const CallSite& site);

  std::shared_ptr<SharedSpace> space_;
  GroupBlock block_;
  std::vector<int> members_;  // ranks of the world
  int me_;
  WaitPolicy policy_;
  std::uint8_t axis_;
  Rendezvous rendezvous_;
  std::uint64_t sequence_ = 0;
  std::vector<ControlRecord> records_;
  Status broken_;
};

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_SHARED_COMMUNICATOR_H_

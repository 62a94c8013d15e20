// The operations of a Communicator, each as one Exchange: pieces that ranks
// lay out, and what becomes of them. How ranks meet is the backend's:
// SharedCommunicator (memory), MessageCommunicator (messages).

#ifndef GYRE_COLLECTIVES_EXCHANGE_COMMUNICATOR_H_
#define GYRE_COLLECTIVES_EXCHANGE_COMMUNICATOR_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/collectives/exchange.h"
#include "gyre/collectives/group_failure.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

class ExchangeCommunicator : public Communicator {
 public:
  int rank() const final { return me_; }
  int size() const final { return static_cast<int>(members_.size()); }

  Status AllReduce(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   ReduceOp op,
                   const CallSite& site) final;
  Status ReduceScatter(const void* in,
                       void* out,
                       std::size_t count,
                       DType dtype,
                       ReduceOp op,
                       const CallSite& site) final;
  Status AllGather(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   const CallSite& site) final;
  Status Broadcast(void* data,
                   std::size_t count,
                   DType dtype,
                   int root,
                   const CallSite& site) final;
  Status AllToAll(const void* in,
                  void* out,
                  std::size_t count,
                  DType dtype,
                  const CallSite& site) final;
  Status Permute(const void* in,
                 void* out,
                 std::size_t count,
                 DType dtype,
                 std::span<const int> sources,
                 const CallSite& site) final;
  Status Barrier(const CallSite& site) final;

  std::span<const ControlRecord> records() const final { return records_; }

 protected:
  // `members`: ranks of the world, in the group's order; `me` indexes them.
  // `axis` tells the groups of a world apart in their records.
  ExchangeCommunicator(std::vector<int> members, int me, std::uint8_t axis)
      : members_(std::move(members)),
        me_(me),
        axis_(axis),
        records_(members_.size()) {}

  // One collective from entry to end. Fills `records_`; `sequence_` is its
  // number.
  virtual Status RunOnce(const Exchange& exchange, const CallSite& site) = 0;
  // Tells the other ranks that this one does not go on.
  virtual void Tell(const GroupFailure& failure) = 0;
  // No call will be carried out any more.
  virtual void Close() {}

  // The same for arguments that can be: with a `fault` that was found in them
  // already, or with one that is found here, the call is refused. After an
  // error all further calls fail, on all ranks.
  Status Run(const Exchange& exchange,
             const CallSite& site,
             const Status& fault = OkStatus());
  // Fails this communicator on all ranks, from call `sequence` on. Gives
  // `why` back.
  Status Break(const Status& why, std::uint64_t sequence);

  // This rank's record of the collective that it enters now.
  ControlRecord MakeRecord(const Exchange& exchange, const CallSite& site);
  // The name of the site's file, without its folders.
  std::string_view FileOf(const CallSite& site);

  // Every rank's `mine`, by rank.
  template <class T>
  StatusOr<std::vector<T>> Gather(CollectiveKind kind,
                                  std::size_t announced,
                                  const T& mine,
                                  const CallSite& site);
  // Every rank's list of ranks, as far as it can be one.
  StatusOr<std::vector<std::vector<int>>> GatherLists(
      std::span<const int> ranks, const CallSite& site);

  // The members of the group of `ranks`, as ranks of the world.
  std::vector<int> MembersOf(std::span<const int> ranks) const;

  std::vector<int> members_;
  int me_;
  std::uint8_t axis_;
  std::uint64_t sequence_ = 0;
  std::vector<ControlRecord> records_;

 private:
  // The file of the last call: a file's text lives as long as the program, so
  // its address stands for it.
  struct File {
    const char* path = nullptr;
    std::string_view name;
    std::uint64_t hash = 0;
  };

  Status broken_;
  File file_;
};

// What has come through memory or a wire unchanged has this in `check`.
std::uint32_t CheckOf(const ControlRecord& record);

Exchange MakeExchange(CollectiveKind kind,
                      const void* in,
                      void* out,
                      std::size_t count,
                      DType dtype);

template <class T>
StatusOr<std::vector<T>> ExchangeCommunicator::Gather(CollectiveKind kind,
                                                      std::size_t announced,
                                                      const T& mine,
                                                      const CallSite& site) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(members_.size());
  Exchange exchange =
      MakeExchange(kind, &mine, all.data(), sizeof(T), DType::kU8);
  exchange.announced = announced;
  exchange.out_parts = members_.size();
  GYRE_RETURN_IF_ERROR(Run(exchange, site));
  return all;
}

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_EXCHANGE_COMMUNICATOR_H_

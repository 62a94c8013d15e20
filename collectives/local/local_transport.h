// Messages between threads of one process: the transport of tests, and of
// `local` where it shall give the bits of another backend's order.
//
//   auto hub = std::make_shared<LocalHub>(4, policy);
//   // on the thread of rank r:
//   auto transport = std::make_shared<LocalTransport>(hub, r);
//
// A body is read where it lies, by the thread of the rank that receives it,
// and comes in pieces that cut elements anywhere.

#ifndef GYRE_COLLECTIVES_LOCAL_LOCAL_TRANSPORT_H_
#define GYRE_COLLECTIVES_LOCAL_LOCAL_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gyre/collectives/local/local_hub.h"
#include "gyre/collectives/message/transport.h"

namespace gyre::internal::inline collectives {

class LocalTransport final : public Transport {
 public:
  LocalTransport(std::shared_ptr<LocalHub> hub, int rank);
  ~LocalTransport() override;

  std::string_view backend() const override { return "local"; }
  bool shares_memory() const override { return true; }
  int rank() const override { return rank_; }
  int size() const override { return hub_->ranks(); }
  StatusOr<std::unique_ptr<MessageChannel>> Open(
      std::uint32_t group, std::span<const int> members) override;
  void Abort(const Status& why) override;
  void FailGroup(std::uint32_t group,
                 std::span<const int>,
                 const GroupFailure& failure) override {
    hub_->FailGroup(group, failure);
  }
  void SetActivity(std::int64_t step, std::string_view what) override;

 private:
  std::shared_ptr<LocalHub> hub_;
  int rank_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LOCAL_LOCAL_TRANSPORT_H_

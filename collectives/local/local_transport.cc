#include "gyre/collectives/local/local_transport.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gyre/collectives/local/local_channel.h"

namespace gyre::internal::inline collectives {

LocalTransport::LocalTransport(std::shared_ptr<LocalHub> hub, int rank)
    : hub_(std::move(hub)), rank_(rank) {
  hub_->Join(rank_);
}

LocalTransport::~LocalTransport() { hub_->Leave(rank_); }

StatusOr<std::unique_ptr<MessageChannel>> LocalTransport::Open(
    std::uint32_t group, std::span<const int> members) {
  const auto me = std::find(members.begin(), members.end(), rank_);
  if (me == members.end()) {
    return InternalError("rank ", rank_, " is not in the group it opens");
  }
  return std::make_unique<LocalChannel>(
      hub_,
      group,
      std::vector<int>(members.begin(), members.end()),
      static_cast<int>(me - members.begin()));
}

void LocalTransport::Abort(const Status& why) { hub_->Abort(rank_, why); }

void LocalTransport::SetActivity(std::int64_t step, std::string_view what) {
  hub_->SetActivity(rank_, step, what);
}

}  // namespace gyre::internal::inline collectives

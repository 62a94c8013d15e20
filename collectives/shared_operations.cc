// The operations of SharedCommunicator: each as pieces to lay out and take.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "collectives/reduce.h"
#include "collectives/shared_communicator.h"
#include "collectives/split_plan.h"
#include "core/hash.h"

namespace gyre {
namespace {

Exchange MakeExchange(CollectiveKind kind,
                      const void* in,
                      void* out,
                      std::size_t count,
                      DType dtype) {
  Exchange exchange;
  exchange.kind = kind;
  exchange.dtype = dtype;
  exchange.in = static_cast<const std::byte*>(in);
  exchange.out = static_cast<std::byte*>(out);
  exchange.count = count;
  exchange.announced = count;
  return exchange;
}

std::size_t BlockStride(std::size_t bytes) {
  return AlignUp(std::max<std::size_t>(bytes, 1), 4096) + kSkew;
}

}  // namespace

Status SharedCommunicator::AllReduce(const void* in,
                                     void* out,
                                     std::size_t count,
                                     DType dtype,
                                     ReduceOp op,
                                     const CallSite& site) {
  GYRE_RETURN_IF_ERROR(CheckReducible(dtype, op));
  Exchange exchange =
      MakeExchange(CollectiveKind::kAllReduce, in, out, count, dtype);
  exchange.op = op;
  return Run(exchange, site);
}

Status SharedCommunicator::ReduceScatter(const void* in,
                                         void* out,
                                         std::size_t count,
                                         DType dtype,
                                         ReduceOp op,
                                         const CallSite& site) {
  GYRE_RETURN_IF_ERROR(CheckReducible(dtype, op));
  Exchange exchange =
      MakeExchange(CollectiveKind::kReduceScatter, in, out, count, dtype);
  exchange.op = op;
  exchange.parts = members_.size();
  return Run(exchange, site);
}

Status SharedCommunicator::AllGather(const void* in,
                                     void* out,
                                     std::size_t count,
                                     DType dtype,
                                     const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kAllGather, in, out, count, dtype);
  exchange.out_parts = members_.size();
  return Run(exchange, site);
}

Status SharedCommunicator::Broadcast(void* data,
                                     std::size_t count,
                                     DType dtype,
                                     int root,
                                     const CallSite& site) {
  if (root < 0 || root >= size()) {
    return ConfigError("broadcast from rank ",
                       root,
                       ", but the ranks go from "
                       "0 to ",
                       size() - 1);
  }
  Exchange exchange =
      MakeExchange(CollectiveKind::kBroadcast, data, data, count, dtype);
  exchange.sends = root == me_;
  exchange.source = root;
  exchange.detail = static_cast<std::uint64_t>(root);
  return Run(exchange, site);
}

Status SharedCommunicator::AllToAll(const void* in,
                                    void* out,
                                    std::size_t count,
                                    DType dtype,
                                    const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kAllToAll, in, out, count, dtype);
  exchange.parts = members_.size();
  exchange.out_parts = members_.size();
  return Run(exchange, site);
}

Status SharedCommunicator::Permute(const void* in,
                                   void* out,
                                   std::size_t count,
                                   DType dtype,
                                   std::span<const int> sources,
                                   const CallSite& site) {
  if (sources.size() != members_.size()) {
    return ConfigError("permute: one source for each of ",
                       size(),
                       " ranks is needed, ",
                       sources.size(),
                       " came");
  }
  for (const int source : sources) {
    if (source < -1 || source >= size()) {
      return ConfigError("permute: the source ",
                         source,
                         " is no rank; give "
                         "0 to ",
                         size() - 1,
                         ", or -1 for none");
    }
  }
  Exchange exchange =
      MakeExchange(CollectiveKind::kPermute, in, out, count, dtype);
  exchange.source = sources[me_];
  exchange.detail = Hash64(sources.data(), sources.size_bytes());
  return Run(exchange, site);
}

Status SharedCommunicator::Barrier(const CallSite& site) {
  return Run(
      MakeExchange(CollectiveKind::kBarrier, nullptr, nullptr, 0, DType::kU8),
      site);
}

template <class T>
StatusOr<std::vector<T>> SharedCommunicator::Gather(CollectiveKind kind,
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

StatusOr<SharedBuffer> SharedCommunicator::Allocate(std::size_t bytes,
                                                    const CallSite& site) {
  // The first rank reserves for all; what became of it travels as a text.
  struct Outcome {
    Location location = kNowhere;
    std::array<char, 248> error = {};
  };
  Outcome outcome;
  const std::size_t ranks = members_.size();
  if (bytes > std::numeric_limits<std::size_t>::max() / 2 / ranks - 8192) {
    return ConfigError("allocate: ",
                       bytes,
                       " bytes on each of ",
                       ranks,
                       " ranks are more than memory can hold");
  }
  const std::size_t stride = BlockStride(bytes);
  if (me_ == 0) {
    const StatusOr<Location> place = space_->Reserve(stride * ranks);
    if (place.ok()) {
      outcome.location = *place;
    } else {
      const std::string text = Message(place.status());
      text.copy(outcome.error.data(), outcome.error.size() - 1);
    }
  }
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<Outcome> outcomes,
      Gather(CollectiveKind::kAllocate, bytes, outcome, site));
  if (outcomes[0].location == kNowhere) {
    return ConfigError("no shared memory for ",
                       site.label,
                       " (",
                       bytes,
                       " bytes on each of ",
                       ranks,
                       " ranks): ",
                       outcomes[0].error.data());
  }
  GYRE_ASSIGN_OR_RETURN(std::byte* const base,
                        space_->Map(outcomes[0].location, stride * ranks));
  return SharedBuffer{base + me_ * stride, bytes};
}

StatusOr<std::vector<std::vector<int>>> SharedCommunicator::GatherLists(
    std::span<const int> ranks, const CallSite& site) {
  // One row for each rank: how many it asked for, and the first of them.
  const std::size_t row = members_.size() + 1;
  std::vector<std::int32_t> mine(row, -1);
  mine[0] = static_cast<std::int32_t>(ranks.size());
  std::copy_n(
      ranks.begin(), std::min(ranks.size(), members_.size()), mine.begin() + 1);
  std::vector<std::int32_t> all(row * members_.size());
  Exchange exchange = MakeExchange(
      CollectiveKind::kSplit, mine.data(), all.data(), row, DType::kI32);
  exchange.out_parts = members_.size();
  GYRE_RETURN_IF_ERROR(Run(exchange, site));
  std::vector<std::vector<int>> lists;
  for (int r = 0; r < size(); ++r) {
    const std::int32_t* from = all.data() + r * row;
    if (from[0] > size()) {
      return ConfigError("split: rank ",
                         r,
                         " asked for a group of ",
                         from[0],
                         " ranks out of ",
                         size());
    }
    lists.emplace_back(from + 1, from + 1 + from[0]);
  }
  return lists;
}

StatusOr<std::unique_ptr<Communicator>> SharedCommunicator::Split(
    std::span<const int> ranks, const CallSite& site) {
  GYRE_ASSIGN_OR_RETURN(const auto lists, GatherLists(ranks, site));
  GYRE_RETURN_IF_ERROR(CheckSplit(lists));
  struct NewGroup {
    Location location = kNowhere;
    std::uint64_t axis = 0;
  };
  NewGroup mine;
  const std::size_t bytes = GroupBlock::Bytes(static_cast<int>(ranks.size()));
  Status reserved;
  if (!ranks.empty() && ranks[0] == me_) {
    const StatusOr<Location> place = space_->Reserve(bytes);
    reserved = place.status();
    if (place.ok()) mine.location = *place;
    mine.axis = space_->header().groups.fetch_add(1) + 1;
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<NewGroup> groups,
                        Gather(CollectiveKind::kSplit, 0, mine, site));
  GYRE_RETURN_IF_ERROR(reserved);
  if (ranks.empty()) return std::unique_ptr<Communicator>();
  const NewGroup& group = groups[ranks[0]];
  if (group.location == kNowhere) {
    return ConfigError("split: rank ",
                       members_[ranks[0]],
                       " found no ",
                       bytes,
                       " bytes of shared memory for the group");
  }
  GYRE_ASSIGN_OR_RETURN(std::byte* const base,
                        space_->Map(group.location, bytes));
  std::vector<int> members;
  for (const int r : ranks) members.push_back(members_[r]);
  const auto me = std::find(ranks.begin(), ranks.end(), me_) - ranks.begin();
  return std::unique_ptr<Communicator>(
      new SharedCommunicator(space_,
                             GroupBlock(base, static_cast<int>(ranks.size())),
                             std::move(members),
                             static_cast<int>(me),
                             policy_,
                             static_cast<std::uint8_t>(group.axis)));
}

}  // namespace gyre

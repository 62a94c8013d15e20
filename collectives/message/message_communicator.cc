#include "gyre/collectives/message/message_communicator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/message/chain_broadcast.h"
#include "gyre/collectives/message/direct_move.h"
#include "gyre/collectives/message/direct_reduce.h"
#include "gyre/collectives/message/ring_reduce.h"
#include "gyre/collectives/split_plan.h"
#include "gyre/collectives/two_level/two_level_move.h"
#include "gyre/collectives/two_level/two_level_reduce.h"
#include "gyre/core/check.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr int kMaxMessageRanks = 4096;

std::uint64_t PlanOf(const MessageOptions& options,
                     const std::vector<int>& hosts) {
  const std::array<std::uint64_t, 5> parts = {
      static_cast<std::uint64_t>(options.algorithm),
      options.small_bytes,
      options.block_bytes,
      options.window_bytes,
      options.host_stage_bytes};
  return Hash64(hosts.data(),
                hosts.size() * sizeof(int),
                Hash64(parts.data(), sizeof parts));
}

Status CheckPlacement(const HostPlacement& placement,
                      MessageAlgorithm algorithm,
                      int ranks) {
  if (placement.hosts.empty()) return OkStatus();
  if (algorithm == MessageAlgorithm::kRing) {
    return ConfigError(
        "two levels sum in the order of the tree, and the ring "
        "in its own; choose one of them");
  }
  if (static_cast<int>(placement.hosts.size()) == ranks &&
      placement.space != nullptr) {
    return OkStatus();
  }
  return ConfigError("two levels need the host of each of ",
                     ranks,
                     " ranks and this host's shared memory; the hosts of ",
                     placement.hosts.size(),
                     " came, and ",
                     placement.space == nullptr ? "no" : "a",
                     " memory");
}

int IndexOf(std::span<const int> members, int rank) {
  const auto at = std::find(members.begin(), members.end(), rank);
  GYRE_CHECK(at != members.end(), "rank ", rank, " is not in its group");
  return static_cast<int>(at - members.begin());
}

}  // namespace

StatusOr<std::unique_ptr<Communicator>> MessageCommunicator::Join(
    std::shared_ptr<Transport> transport,
    const MessageOptions& options,
    HostPlacement placement) {
  if (transport->size() > kMaxMessageRanks) {
    return ConfigError("a world of ",
                       transport->size(),
                       " ranks; ",
                       transport->backend(),
                       " knows at most ",
                       kMaxMessageRanks);
  }
  GYRE_RETURN_IF_ERROR(
      CheckPlacement(placement, options.algorithm, transport->size()));
  auto world = std::make_shared<World>();
  world->options = options;
  world->placement = std::move(placement);
  if (options.algorithm == MessageAlgorithm::kAuto) {
    const bool direct =
        !world->placement.hosts.empty() || transport->size() <= kMaxDirectRanks;
    world->options.algorithm =
        direct ? MessageAlgorithm::kDirect : MessageAlgorithm::kRing;
  }
  world->plan = PlanOf(world->options, world->placement.hosts);
  std::vector<int> members(transport->size());
  std::iota(members.begin(), members.end(), 0);
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<MessageChannel> channel,
                        transport->Open(0, members));
  world->transport = std::move(transport);
  std::unique_ptr<MessageCommunicator> comm(new MessageCommunicator(
      std::move(world), std::move(channel), std::move(members), 0));
  Status met = comm->Barrier({.label = "joining the world"});
  if (met.ok()) met = comm->ShareHosts();
  if (!met.ok()) {
    comm->Abort(met);
    return met;
  }
  return std::unique_ptr<Communicator>(std::move(comm));
}

MessageCommunicator::MessageCommunicator(
    std::shared_ptr<World> world,
    std::unique_ptr<MessageChannel> channel,
    std::vector<int> members,
    std::uint32_t group)
    : ExchangeCommunicator(members,
                           IndexOf(members, world->transport->rank()),
                           static_cast<std::uint8_t>(group % 251)),
      world_(std::move(world)),
      group_(group),
      channel_(std::move(channel)),
      roll_(std::move(members), rank()) {}

std::string_view MessageCommunicator::backend() const {
  return world_->placement.hosts.empty() ? world_->transport->backend()
                                         : "two-level";
}

bool MessageCommunicator::shares_memory() const {
  return world_->placement.hosts.empty() && world_->transport->shares_memory();
}

std::string_view MessageCommunicator::reduction_order() const {
  return world_->options.algorithm == MessageAlgorithm::kRing ? "ring" : "tree";
}

Status MessageCommunicator::RunOnce(const Exchange& exchange,
                                    const CallSite& site) {
  roll_.Begin(MakeCallHead(
      MakeRecord(exchange, site), exchange.detail, world_->plan, site));
  if (size() == 1) {
    RunAlone(exchange);
  } else {
    flow_ = MakeFlow(exchange);
    GYRE_RETURN_IF_ERROR(
        RunFlow(*flow_, {exchange.kind, sequence_, site.label}));
    flow_ = nullptr;
  }
  for (int r = 0; r < size(); ++r) records_[r] = roll_.head(r).record;
  return OkStatus();
}

void MessageCommunicator::RunAlone(const Exchange& exchange) {
  const Layout layout{.bases = {exchange.in},
                      .part_stride = exchange.PieceBytes()};
  Take(exchange, layout, me_, 0, exchange.count);
}

std::unique_ptr<MessageFlow> MessageCommunicator::MakeFlow(
    const Exchange& exchange) {
  const MessageContext context{
      channel_.get(), &roll_, &stage_, world_->options, host_.get()};
  const bool reduces = exchange.kind == CollectiveKind::kAllReduce ||
                       exchange.kind == CollectiveKind::kReduceScatter;
  const bool spreads = exchange.kind == CollectiveKind::kAllGather ||
                       exchange.kind == CollectiveKind::kBroadcast;
  const bool large =
      exchange.PieceBytes() > world_->options.small_bytes / (size() - 1);
  if (!large || !(reduces || spreads)) {
    return std::make_unique<DirectMove>(context, exchange);
  }
  if (host_ != nullptr) {
    if (reduces) return std::make_unique<TwoLevelReduce>(context, exchange);
    return std::make_unique<TwoLevelMove>(context, exchange);
  }
  if (reduces) {
    if (world_->options.algorithm == MessageAlgorithm::kRing) {
      return std::make_unique<RingReduce>(context, exchange);
    }
    return std::make_unique<DirectReduce>(context, exchange);
  }
  if (exchange.kind == CollectiveKind::kBroadcast && size() > 2) {
    return std::make_unique<ChainBroadcast>(context, exchange);
  }
  return std::make_unique<DirectMove>(context, exchange);
}

Status MessageCommunicator::RunFlow(MessageFlow& flow, const Waiting& waiting) {
  GYRE_RETURN_IF_ERROR(flow.Start());
  const auto done = [&] {
    if (roll_.Failed()) return true;
    flow.Advance();
    return roll_.complete() && flow.Done();
  };
  do {
    const Status came =
        channel_->Drive(done, false, waiting, [&] { return Late(flow); });
    GYRE_RETURN_IF_ERROR(roll_.Agreement());
    GYRE_RETURN_IF_ERROR(came);
    GYRE_RETURN_IF_ERROR(
        channel_->Drive([] { return true; },
                        true,
                        waiting,
                        [] { return std::vector<LatePeer>(); }));
  } while (flow.Next());
  flow.Finish();
  return OkStatus();
}

std::vector<LatePeer> MessageCommunicator::Late(const MessageFlow& flow) const {
  std::vector<LatePeer> late;
  for (int r = 0; r < size(); ++r) {
    if (r == me_) continue;
    const bool entered = roll_.has(r);
    const bool counts = roll_.complete() ? flow.Needs(r) : !entered;
    if (counts) late.push_back({r, entered, roll_.LastCall(r)});
  }
  return late;
}

StatusOr<SharedBuffer> MessageCommunicator::Allocate(std::size_t bytes,
                                                     const CallSite& site) {
  // What became of it on each rank travels as a text.
  std::array<char, 248> error = {};
  AlignedBuffer block;
  Status status = CheckMemory(bytes);
  if (status.ok()) {
    block = AllocateAligned(std::max<std::size_t>(bytes, 1));
    if (block == nullptr) {
      status = ConfigError("0 bytes are available to this process");
    }
  }
  if (!status.ok()) Message(status).copy(error.data(), error.size() - 1);
  GYRE_ASSIGN_OR_RETURN(const auto errors,
                        Gather(CollectiveKind::kAllocate, bytes, error, site));
  for (int r = 0; r < size(); ++r) {
    if (errors[r][0] == '\0') continue;
    return ConfigError("no memory for ",
                       site.label,
                       " (",
                       bytes,
                       " bytes on each of ",
                       size(),
                       " ranks) on rank ",
                       members_[r],
                       ": ",
                       errors[r].data());
  }
  const SharedBuffer buffer{block.get(), bytes};
  const std::lock_guard<std::mutex> lock(world_->mutex);
  world_->blocks.push_back(std::move(block));
  return buffer;
}

std::uint32_t MessageCommunicator::NumberGroup() {
  const auto rank = static_cast<std::uint32_t>(world_->transport->rank());
  return ++world_->groups * kMaxMessageRanks + rank;
}

StatusOr<std::unique_ptr<Communicator>> MessageCommunicator::Split(
    std::span<const int> ranks, const CallSite& site) {
  GYRE_ASSIGN_OR_RETURN(const auto lists, GatherLists(ranks, site));
  GYRE_RETURN_IF_ERROR(CheckSplit(lists));
  const bool leads = !ranks.empty() && ranks[0] == me_;
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<std::uint32_t> groups,
      Gather(CollectiveKind::kSplit, 0, leads ? NumberGroup() : 0u, site));
  if (ranks.empty()) return std::unique_ptr<Communicator>();
  const std::uint32_t group = groups[ranks[0]];
  std::vector<int> members = MembersOf(ranks);
  auto channel = world_->transport->Open(group, members);
  if (!channel.ok()) return Break(channel.status(), sequence_ + 1);
  std::unique_ptr<MessageCommunicator> comm(new MessageCommunicator(
      world_, *std::move(channel), std::move(members), group));
  if (const Status shared = comm->ShareHosts(); !shared.ok()) {
    return Break(shared, sequence_ + 1);
  }
  return std::unique_ptr<Communicator>(std::move(comm));
}

Status MessageCommunicator::ShareHosts() {
  if (world_->placement.hosts.empty()) return OkStatus();
  std::vector<int> hosts;
  for (const int member : members_) {
    hosts.push_back(world_->placement.hosts[member]);
  }
  HostPlan plan(hosts, me_);
  if (!plan.useful()) return OkStatus();
  // The first rank of each host reserves for all of them.
  struct Outcome {
    Location location = kNowhere;
    std::array<char, 248> error = {};
  };
  Outcome outcome;
  const std::size_t stage = AlignUp(world_->options.host_stage_bytes);
  const std::size_t bytes =
      HostStage::Bytes(static_cast<int>(plan.local_ranks().size()), stage);
  SharedSpace& space = *world_->placement.space;
  if (plan.local_rank() == 0) {
    const StatusOr<Location> place = space.Reserve(bytes);
    if (place.ok()) {
      outcome.location = *place;
    } else {
      Message(place.status()).copy(outcome.error.data(), 247);
    }
  }
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<Outcome> outcomes,
      Gather(CollectiveKind::kAllocate,
             stage,
             outcome,
             {.label = "memory that the ranks of a host share"}));
  for (int h = 0; h < plan.hosts(); ++h) {
    const int first = plan.ranks(h)[0];
    if (outcomes[first].location != kNowhere) continue;
    return ConfigError("no memory to share on the host of rank ",
                       members_[first],
                       ": ",
                       outcomes[first].error.data());
  }
  const Location place = outcomes[plan.local_ranks()[0]].location;
  const auto base = space.Map(place, bytes);
  if (!base.ok()) return Break(base.status(), sequence_ + 1);
  --sequence_;  // not one of the user's calls: those count as on all backends
  host_ = std::make_unique<HostStage>(std::move(plan), *base, stage);
  return OkStatus();
}

void MessageCommunicator::SetActivity(std::int64_t step,
                                      std::string_view what) {
  world_->transport->SetActivity(step, what);
}

void MessageCommunicator::Close() {
  channel_ = nullptr;  // the user's buffers are the user's again
  flow_ = nullptr;
}

void MessageCommunicator::Tell(const GroupFailure& failure) {
  world_->transport->FailGroup(group_, members_, failure);
}

void MessageCommunicator::Abort(const Status& why) {
  world_->transport->Abort(why);
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/shared_communicator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/membership.h"
#include "gyre/collectives/split_plan.h"

namespace gyre::internal::inline collectives {
namespace {

std::size_t BlockStride(std::size_t bytes) {
  return AlignUp(std::max<std::size_t>(bytes, 1), 4096) + kSkew;
}

}  // namespace

StatusOr<std::unique_ptr<Communicator>> SharedCommunicator::Join(
    std::shared_ptr<SharedSpace> space, const WaitPolicy& policy) {
  WorldHeader& world = space->header();
  const int rank = space->rank();
  GYRE_RETURN_IF_ERROR(JoinWorldAs(world, rank));
  std::vector<int> members(world.ranks);
  std::iota(members.begin(), members.end(), 0);
  std::unique_ptr<Communicator> comm(new SharedCommunicator(std::move(space),
                                                            WorldBlock(world),
                                                            std::move(members),
                                                            rank,
                                                            policy,
                                                            0));
  if (const Status met = comm->Barrier({.label = "joining the world"});
      !met.ok()) {
    comm->Abort(met);
    return met;
  }
  return comm;
}

SharedCommunicator::SharedCommunicator(std::shared_ptr<SharedSpace> space,
                                       GroupBlock block,
                                       std::vector<int> members,
                                       int me,
                                       WaitPolicy policy,
                                       std::uint8_t axis)
    : ExchangeCommunicator(std::move(members), me, axis),
      space_(std::move(space)),
      block_(block),
      policy_(policy),
      rendezvous_(*space_, block_, members_, me_, policy_) {}

Status SharedCommunicator::RunOnce(const Exchange& exchange,
                                   const CallSite& site) {
  const std::uint32_t phase = rendezvous_.next_phase();
  const bool small = exchange.InBytes() <= space_->header().small_bytes;
  Publish(exchange, site, phase);
  if (small) Stage(exchange, 0, exchange.count, block_.stage(me_, phase));
  GYRE_RETURN_IF_ERROR(Meet(exchange, site));
  GYRE_RETURN_IF_ERROR(Agree(phase));
  if (small) {
    TakeFromStages(exchange, phase, 0, exchange.count);
    return OkStatus();
  }
  if (AllDirect(phase)) return RunDirect(exchange, site, phase);
  return RunStaged(exchange, site);
}

void SharedCommunicator::Publish(const Exchange& exchange,
                                 const CallSite& site,
                                 std::uint32_t phase) {
  RankSlot& slot = block_.slot(me_);
  const ControlRecord record = MakeRecord(exchange, site);
  slot.records[phase % 2] = record;

  const bool writes = exchange.kind == CollectiveKind::kAllReduce;
  BufferPlace& place = slot.places[phase % 2];
  place.in = space_->Find(exchange.in, exchange.InBytes());
  place.out = space_->Find(exchange.out, exchange.OutBytes());
  place.detail = exchange.detail;
  place.direct = (!exchange.sends || place.in != kNowhere) &&
                 (!writes || place.out != kNowhere) &&
                 ReadableInPlace(exchange, me_);

  constexpr auto kRelaxed = std::memory_order_relaxed;
  slot.kind.store(static_cast<std::uint32_t>(exchange.kind), kRelaxed);
  slot.sequence.store(sequence_, kRelaxed);
  slot.step.store(site.step, kRelaxed);
  slot.line.store(record.line, kRelaxed);
  slot.file.Store(FileOf(site));
  slot.label.Store(site.label);
}

Status SharedCommunicator::Meet(const Exchange& exchange,
                                const CallSite& site) {
  rendezvous_.Arrive();
  return rendezvous_.Wait({exchange.kind, sequence_, site.label});
}

Status SharedCommunicator::Agree(std::uint32_t phase) {
  const auto call = [&](int r) {
    return ReadCall(block_.slot(r), members_[r], records_[r]);
  };
  for (int r = 0; r < size(); ++r) {
    const RankSlot& slot = block_.slot(r);
    records_[r] = slot.records[phase % 2];
    if (records_[r].check != CheckOf(records_[r])) {
      return InternalError("the control record of rank ",
                           members_[r],
                           " is damaged: something writes to memory that is "
                           "not its own");
    }
    if (!records_[r].Matches(records_[0])) {
      return Disagreement(
          call(0), call(r), Difference(records_[0], records_[r]));
    }
    if (slot.places[phase % 2].detail !=
        block_.slot(0).places[phase % 2].detail) {
      return Disagreement(
          call(0), call(r), "they differ in the root or in the sources");
    }
  }
  return OkStatus();
}

bool SharedCommunicator::AllDirect(std::uint32_t phase) const {
  for (int r = 0; r < size(); ++r) {
    if (block_.slot(r).places[phase % 2].direct == 0) return false;
  }
  return true;
}

Status SharedCommunicator::RunDirect(const Exchange& exchange,
                                     const CallSite& site,
                                     std::uint32_t phase) {
  const bool all_reduce = exchange.kind == CollectiveKind::kAllReduce;
  Layout layout{.bases = {}, .part_stride = exchange.PieceBytes()};
  std::vector<std::byte*> outs;
  for (int r = 0; r < size(); ++r) {
    const BufferPlace& place = block_.slot(r).places[phase % 2];
    layout.bases.push_back(place.in == kNowhere ? nullptr
                                                : space_->At(place.in));
    if (all_reduce) outs.push_back(space_->At(place.out));
  }
  if (all_reduce) {
    const Slice slice =
        SliceOf(exchange.count, SizeOf(exchange.dtype), me_, size());
    ReduceForAll(exchange, layout.bases, outs, slice);
  } else {
    Take(exchange, layout, me_, 0, exchange.count);
  }
  // Nobody goes on before all are done with its buffers.
  return Meet(exchange, site);
}

Status SharedCommunicator::RunStaged(const Exchange& exchange,
                                     const CallSite& site) {
  const std::size_t step =
      kStageBytes / (exchange.parts * SizeOf(exchange.dtype));
  for (std::size_t first = 0; first < exchange.count; first += step) {
    const std::size_t n = std::min(step, exchange.count - first);
    const std::uint32_t phase = rendezvous_.next_phase();
    Stage(exchange, first, n, block_.stage(me_, phase));
    GYRE_RETURN_IF_ERROR(Meet(exchange, site));
    TakeFromStages(exchange, phase, first, n);
  }
  return OkStatus();
}

void SharedCommunicator::TakeFromStages(const Exchange& exchange,
                                        std::uint32_t phase,
                                        std::size_t first,
                                        std::size_t count) {
  Layout layout{.bases = {}, .part_stride = count * SizeOf(exchange.dtype)};
  layout.bases.reserve(members_.size());
  for (int r = 0; r < size(); ++r) {
    layout.bases.push_back(block_.stage(r, phase));
  }
  Take(exchange, layout, me_, first, count);
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
    Exchange exchange;
    exchange.kind = CollectiveKind::kAllocate;
    exchange.announced = bytes;
    return Run(exchange,
               site,
               ConfigError(bytes,
                           " bytes on each of ",
                           ranks,
                           " ranks are more than memory can hold"));
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
  const auto base = space_->Map(outcomes[0].location, stride * ranks);
  if (!base.ok()) return Break(base.status(), sequence_ + 1);
  return SharedBuffer{*base + me_ * stride, bytes};
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
  if (!reserved.ok()) return Break(reserved, sequence_ + 1);
  if (ranks.empty()) return std::unique_ptr<Communicator>();
  const NewGroup& group = groups[ranks[0]];
  if (group.location == kNowhere) {
    return ConfigError("split: rank ",
                       members_[ranks[0]],
                       " found no ",
                       bytes,
                       " bytes of shared memory for the group");
  }
  const auto base = space_->Map(group.location, bytes);
  if (!base.ok()) return Break(base.status(), sequence_ + 1);
  const auto me = std::find(ranks.begin(), ranks.end(), me_) - ranks.begin();
  return std::unique_ptr<Communicator>(
      new SharedCommunicator(space_,
                             GroupBlock(*base, static_cast<int>(ranks.size())),
                             MembersOf(ranks),
                             static_cast<int>(me),
                             policy_,
                             static_cast<std::uint8_t>(group.axis)));
}

void SharedCommunicator::SetActivity(std::int64_t step, std::string_view what) {
  PeerCell& me = space_->header().peer(space_->rank());
  me.step.store(step < 0 ? 0 : step + 1, std::memory_order_relaxed);
  me.activity.Store(what);
}

void SharedCommunicator::Abort(const Status& why) {
  PostAbort(space_->header(), space_->rank(), why);
}

}  // namespace gyre::internal::inline collectives

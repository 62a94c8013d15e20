#include "gyre/collectives/exchange_communicator.h"

#include <algorithm>
#include <limits>

#include "gyre/collectives/reduce.h"
#include "gyre/core/clock.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline collectives {
namespace {

Status CheckType(const Exchange& exchange) {
  if (SizeOf(exchange.dtype) != 0) return OkStatus();
  return ConfigError("dtype ",
                     static_cast<int>(exchange.dtype),
                     " is none of the element types of Gyre");
}

Status CheckSize(const Exchange& exchange) {
  const std::size_t limit = std::numeric_limits<std::size_t>::max() / 2;
  const std::size_t pieces = std::max(exchange.parts, exchange.out_parts);
  if (exchange.count > limit / SizeOf(exchange.dtype) / pieces) {
    return ConfigError(Name(exchange.kind),
                       " of ",
                       exchange.count,
                       " ",
                       exchange.dtype,
                       " for each of ",
                       pieces,
                       " ranks: more "
                       "than memory can hold; is the count negative?");
  }
  return OkStatus();
}

Status CheckBuffers(const Exchange& exchange) {
  const bool in = exchange.in != nullptr || exchange.InBytes() == 0;
  const bool out = exchange.out != nullptr || exchange.OutBytes() == 0;
  if (in && out) return OkStatus();
  return ConfigError("the ",
                     in ? "output" : "input",
                     " buffer is null, and ",
                     in ? exchange.OutBytes() : exchange.InBytes(),
                     " bytes are needed");
}

Status CheckRoot(int root, int size) {
  if (root >= 0 && root < size) return OkStatus();
  return ConfigError("broadcast from rank ",
                     root,
                     ", but the ranks go from "
                     "0 to ",
                     size - 1);
}

Status CheckSources(std::span<const int> sources, int size) {
  if (sources.size() != static_cast<std::size_t>(size)) {
    return ConfigError("permute: one source for each of ",
                       size,
                       " ranks is needed, ",
                       sources.size(),
                       " came");
  }
  for (const int source : sources) {
    if (source < -1 || source >= size) {
      return ConfigError("permute: the source ",
                         source,
                         " is no rank; give "
                         "0 to ",
                         size - 1,
                         ", or -1 for none");
    }
  }
  return OkStatus();
}

Status CheckExchange(const Exchange& exchange) {
  GYRE_RETURN_IF_ERROR(CheckType(exchange));
  GYRE_RETURN_IF_ERROR(CheckSize(exchange));
  return CheckBuffers(exchange);
}

}  // namespace

std::uint32_t CheckOf(const ControlRecord& record) {
  return static_cast<std::uint32_t>(
      Hash64(&record, offsetof(ControlRecord, check)));
}

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

Status ExchangeCommunicator::Run(const Exchange& exchange,
                                 const CallSite& site,
                                 const Status& fault) {
  if (!broken_.ok()) {
    return Annotate(broken_, "the communicator has failed before: ");
  }
  ++sequence_;
  if (Status refused = fault.ok() ? CheckExchange(exchange) : fault;
      !refused.ok()) {
    const CallText call = {members_[me_],
                           MakeRecord(exchange, site),
                           site.label,
                           std::string(FileOf(site))};
    refused = Annotate(refused, Cat(DescribeCall(call), ", was refused: "));
    return Break(refused, sequence_);
  }
  const Status status = RunOnce(exchange, site);
  return status.ok() ? status : Break(status, sequence_);
}

Status ExchangeCommunicator::Break(const Status& why, std::uint64_t sequence) {
  broken_ = why;
  if (size() > 1 && IsOwnFailure(why)) {
    Tell({.rank = members_[me_],
          .sequence = sequence,
          .late = KindOf(why) == ErrorKind::kPeer,
          .why = Message(why)});
  }
  Close();
  return why;
}

std::string_view ExchangeCommunicator::FileOf(const CallSite& site) {
  if (site.loc.file != file_.path) {
    const std::string_view name = site.loc.Basename();
    file_ = {site.loc.file, name, Hash64(name)};
  }
  return file_.name;
}

ControlRecord ExchangeCommunicator::MakeRecord(const Exchange& exchange,
                                               const CallSite& site) {
  FileOf(site);
  ControlRecord record;
  record.sequence = sequence_;
  record.count = exchange.announced;
  record.kind = exchange.kind;
  record.op = exchange.op;
  record.dtype = exchange.dtype;
  record.axis = axis_;
  record.bucket = site.bucket;
  record.arrival_ns = NowNanos();
  record.note = site.note;
  record.line = static_cast<std::uint32_t>(site.loc.line);
  record.step =
      static_cast<std::uint32_t>(std::max<std::int64_t>(site.step, 0));
  record.site = static_cast<std::uint32_t>(
      Hash64(std::string_view(site.label), file_.hash + record.line));
  record.check = CheckOf(record);
  return record;
}

Status ExchangeCommunicator::AllReduce(const void* in,
                                       void* out,
                                       std::size_t count,
                                       DType dtype,
                                       ReduceOp op,
                                       const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kAllReduce, in, out, count, dtype);
  exchange.op = op;
  return Run(exchange, site, CheckReducible(dtype, op));
}

Status ExchangeCommunicator::ReduceScatter(const void* in,
                                           void* out,
                                           std::size_t count,
                                           DType dtype,
                                           ReduceOp op,
                                           const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kReduceScatter, in, out, count, dtype);
  exchange.op = op;
  exchange.parts = members_.size();
  return Run(exchange, site, CheckReducible(dtype, op));
}

Status ExchangeCommunicator::AllGather(const void* in,
                                       void* out,
                                       std::size_t count,
                                       DType dtype,
                                       const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kAllGather, in, out, count, dtype);
  exchange.out_parts = members_.size();
  return Run(exchange, site);
}

Status ExchangeCommunicator::Broadcast(void* data,
                                       std::size_t count,
                                       DType dtype,
                                       int root,
                                       const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kBroadcast, data, data, count, dtype);
  exchange.sends = root == me_;
  exchange.source = root;
  exchange.detail = static_cast<std::uint64_t>(root);
  return Run(exchange, site, CheckRoot(root, size()));
}

Status ExchangeCommunicator::AllToAll(const void* in,
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

Status ExchangeCommunicator::Permute(const void* in,
                                     void* out,
                                     std::size_t count,
                                     DType dtype,
                                     std::span<const int> sources,
                                     const CallSite& site) {
  Exchange exchange =
      MakeExchange(CollectiveKind::kPermute, in, out, count, dtype);
  const Status fault = CheckSources(sources, size());
  if (fault.ok()) exchange.source = sources[me_];
  exchange.sources = sources;
  exchange.detail = Hash64(sources.data(), sources.size_bytes());
  return Run(exchange, site, fault);
}

Status ExchangeCommunicator::Barrier(const CallSite& site) {
  return Run(
      MakeExchange(CollectiveKind::kBarrier, nullptr, nullptr, 0, DType::kU8),
      site);
}

StatusOr<std::vector<std::vector<int>>> ExchangeCommunicator::GatherLists(
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

std::vector<int> ExchangeCommunicator::MembersOf(
    std::span<const int> ranks) const {
  std::vector<int> members;
  for (const int r : ranks) members.push_back(members_[r]);
  return members;
}

}  // namespace gyre::internal::inline collectives

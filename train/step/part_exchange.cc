#include "gyre/train/step/part_exchange.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gyre/core/hash.h"

namespace gyre::internal::inline train {

StateHashes HashState(const TrainState& state) {
  const GradientSync& sync = state.sync();
  const optim::FlatLayout& layout = state.layout();
  const float* const params = state.front().params();
  StateHashes hashes;
  hashes.parts.resize(sync.part_sets().size());
  if (sync.has_parts()) {
    for (int t = 0; t < layout.count(); ++t) {
      const int part = sync.PartSetOf(t);
      std::uint64_t& hash = part < 0 ? hashes.common : hashes.parts[part];
      hash = Hash64(
          params + layout[t].offset, layout[t].size * sizeof(float), hash);
    }
  } else {
    hashes.common = Hash64(params, layout.bytes());
  }
  const std::span<const float> buffers = state.front().buffers();
  if (!buffers.empty()) {
    hashes.common = Hash64(buffers.data(), buffers.size_bytes(), hashes.common);
  }
  return hashes;
}

PartExchange::PartExchange(const TrainState& state,
                           std::vector<AxisSet> spreads)
    : mesh_(state.mesh()),
      parts_(state.sync().part_sets()),
      spreads_(std::move(spreads)) {}

Status PartExchange::Gather(std::span<const std::uint64_t> part_hashes,
                            std::span<const double> lengths,
                            const CallSite& site) {
  std::vector<std::int64_t> mine;
  for (const std::uint64_t hash : part_hashes) {
    mine.push_back(static_cast<std::int64_t>(hash));
  }
  for (const double length : lengths) {
    mine.push_back(std::bit_cast<std::int64_t>(length));
  }
  each_ = mine.size();
  all_.resize(each_ * mesh_.size());
  return mesh_.world().AllGather(
      mine.data(), all_.data(), each_, DType::kI64, site);
}

template <class Visit>
void PartExchange::ForEachHolder(AxisSet axes, const Visit& visit) const {
  const AxisSet others = mesh_.all_axes() & ~axes;
  for (int r = 0; r < mesh_.size(); ++r) {
    if (mesh_.PositionOf(r, others) == 0) visit(r);
  }
}

bool PartExchange::PartsEqual() const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    std::vector<std::int64_t> first(mesh_.SizeOf(parts_[k]));
    ForEachHolder(parts_[k], [&](int rank) {
      first[mesh_.PositionOf(rank, parts_[k])] = Hash(rank, k);
    });
    for (int r = 0; r < mesh_.size(); ++r) {
      const int place = mesh_.PositionOf(r, parts_[k]);
      if (Hash(r, k) != first[place]) return false;
    }
  }
  return true;
}

std::uint64_t PartExchange::HashAll(std::uint64_t hash) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    ForEachHolder(parts_[k], [&](int rank) {
      const std::int64_t part = Hash(rank, k);
      hash = Hash64(&part, sizeof(part), hash);
    });
  }
  return hash;
}

void PartExchange::ForEachLength(
    const std::function<void(double)>& visit) const {
  for (std::size_t k = 0; k < spreads_.size(); ++k) {
    ForEachHolder(spreads_[k], [&](int rank) {
      visit(std::bit_cast<double>(all_[rank * each_ + parts_.size() + k]));
    });
  }
}

bool AllTold(std::span<const ControlRecord> records, std::uint64_t hash) {
  return std::all_of(
      records.begin(), records.end(), [hash](const ControlRecord& record) {
        return record.note.checksum == hash;
      });
}

namespace {

// All that ranks have to compare, with their hashes.
StatusOr<PartExchange> Compare(const TrainState& state,
                               const StateHashes& hashes) {
  PartExchange exchange(state);
  GYRE_RETURN_IF_ERROR(exchange.Gather(hashes.parts,
                                       {},
                                       {.label = "hashes of the state",
                                        .loc = SourceLoc::Current(),
                                        .step = state.next_step(),
                                        .note = {.checksum = hashes.common}}));
  return exchange;
}

}  // namespace

StatusOr<StateHash> GatherStateHash(const TrainState& state) {
  const StateHashes hashes = HashState(state);
  GYRE_ASSIGN_OR_RETURN(const PartExchange exchange, Compare(state, hashes));
  return StateHash{
      .equal = exchange.PartsEqual() &&
               AllTold(state.mesh().world().records(), hashes.common),
      .hash = exchange.HashAll(hashes.common)};
}

StatusOr<bool> HashesEqual(const TrainState& state, const StateHashes& hashes) {
  GYRE_ASSIGN_OR_RETURN(const PartExchange exchange, Compare(state, hashes));
  return exchange.PartsEqual() &&
         AllTold(state.mesh().world().records(), hashes.common);
}

}  // namespace gyre::internal::inline train

#include "gyre/train/step/consistency.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/state_tensors.h"

namespace gyre::internal::inline train {
namespace {

template <class T>
std::uint64_t HashOf(const std::vector<T>& values, std::uint64_t seed) {
  return Hash64(values.data(), values.size() * sizeof(T), seed);
}

// The numbers that decide schedules, budgets and scales.
std::uint64_t HashCounters(const optim::GuardState& guard) {
  const std::uint64_t numbers[] = {
      static_cast<std::uint64_t>(guard.attempted),
      static_cast<std::uint64_t>(guard.applied),
      static_cast<std::uint64_t>(guard.skipped),
      static_cast<std::uint64_t>(guard.consecutive_skips),
      guard.halted ? 1u : 0u,
      std::bit_cast<std::uint64_t>(guard.loss_scale.scale),
      static_cast<std::uint64_t>(guard.loss_scale.good_steps),
      static_cast<std::uint64_t>(guard.loss_scale.backoffs),
      static_cast<std::uint64_t>(guard.norms.next())};
  std::uint64_t hash = Hash64(numbers, sizeof(numbers));
  hash = HashOf(guard.recent_skips, hash);
  return HashOf(guard.norms.norms(), hash);
}

// Of these ranks, those that are not with the largest group of equals; nobody
// where two groups are the largest.
std::vector<int> Minority(const std::vector<int>& holders,
                          const std::vector<std::uint64_t>& hashes) {
  std::map<std::uint64_t, int> sizes;
  for (const int rank : holders) ++sizes[hashes[rank]];
  int largest = 0, times = 0;
  std::uint64_t of = 0;
  for (const auto& [hash, size] : sizes) {
    if (size == largest) ++times;
    if (size <= largest) continue;
    largest = size;
    times = 1;
    of = hash;
  }
  std::vector<int> ranks;
  if (times > 1) return ranks;
  for (const int rank : holders) {
    if (hashes[rank] != of) ranks.push_back(rank);
  }
  return ranks;
}

bool AllEqual(const std::vector<int>& holders,
              const std::vector<std::uint64_t>& hashes) {
  return std::all_of(holders.begin(), holders.end(), [&](int rank) {
    return hashes[rank] == hashes[holders[0]];
  });
}

}  // namespace

// Into the checksum, or the hash of the parts that are cut alike.
void Consistency::HashOptimizerStates() {
  if (state_.shards().on()) return;
  const GradientSync& sync = state_.sync();
  for (std::size_t k = 0; k < state_.state_layouts().size(); ++k) {
    const float* const values = state_.front().states()[k];
    const optim::FlatLayout& layout = state_.state_layouts()[k];
    if (!sync.has_parts()) {
      prepared_.common = Hash64(values, layout.bytes(), prepared_.common);
      continue;
    }
    for (const optim::TensorSlot& slot : layout.tensors()) {
      const int t = state_.layout().Find(slot.name);
      const int part = t < 0 ? -1 : sync.PartSetOf(t);
      std::uint64_t& hash = part < 0 ? prepared_.common : prepared_.parts[part];
      hash = Hash64(values + slot.offset, slot.size * sizeof(float), hash);
    }
  }
}

void Consistency::Hash(bool params, bool states) {
  if (params) {
    prepared_ = HashState(state_);
  } else {
    prepared_.common = 0;
    prepared_.parts.assign(state_.sync().part_sets().size(), 0);
  }
  if (!params && !states) return;
  if (states) HashOptimizerStates();
  const std::uint64_t counts[] = {HashCounters(state_.guard()), cursor_};
  prepared_.common = Hash64(counts, sizeof(counts), prepared_.common);
}

const StateHashes& Consistency::Prepare() {
  const std::int64_t step = state_.next_step();
  Hash(checks_.Due(step), checks_.StatesDue(step));
  return prepared_;
}

void Consistency::NoteEqual() {
  const std::int64_t step = state_.next_step();
  if (checks_.Due(step)) equal_params_ = step;
  if (checks_.StatesDue(step)) equal_states_ = step;
}

std::vector<Consistency::Compared> Consistency::AllCompared() const {
  const StateTensors tensors = TensorsOf(state_);
  std::vector<Compared> all;
  const auto add = [&](const StateTensor& t,
                       const float* array,
                       std::int64_t equal_before) {
    const std::uint64_t hash = Hash64(array + t.offset, t.size * sizeof(float));
    all.push_back(
        {t.name, t.part.axes, static_cast<std::int64_t>(hash), equal_before});
  };
  const StateArrays& front = state_.front();
  for (const StateTensor& t : tensors.params) {
    add(t, front.params(), equal_params_);
  }
  const bool whole = !state_.shards().on();
  for (std::size_t k = 0; k < tensors.states.size() && whole; ++k) {
    for (const StateTensor& t : tensors.states[k]) {
      add(t, front.states()[k], equal_states_);
    }
  }
  for (const StateTensor& t : tensors.buffers) {
    add(t, front.buffers().data(), equal_params_);
  }
  all.push_back({"counters",
                 0,
                 static_cast<std::int64_t>(HashCounters(state_.guard())),
                 equal_params_});
  all.push_back({"order of the samples",
                 0,
                 static_cast<std::int64_t>(cursor_),
                 equal_params_});
  return all;
}

// Compares the holders of each part with each other.
void Consistency::AddDifferences(const Compared& compared,
                                 const std::vector<std::uint64_t>& hashes,
                                 Desync& desync) const {
  std::map<int, std::vector<int>> holders;  // by place on the axes
  for (int r = 0; r < state_.mesh().size(); ++r) {
    holders[state_.mesh().PositionOf(r, compared.cut)].push_back(r);
  }
  for (const auto& [place, ranks] : holders) {
    if (AllEqual(ranks, hashes)) continue;
    desync.differences.push_back({compared.name,
                                  Minority(ranks, hashes),
                                  static_cast<int>(ranks.size()),
                                  hashes,
                                  compared.equal_before});
  }
}

StatusOr<std::optional<Desync>> Consistency::Find() const {
  const std::vector<Compared> compared = AllCompared();
  std::vector<std::int64_t> mine;
  for (const Compared& c : compared) mine.push_back(c.hash);
  Communicator& world = state_.mesh().world();
  std::vector<std::int64_t> every(mine.size() * world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(mine.data(),
                                       every.data(),
                                       mine.size(),
                                       DType::kI64,
                                       {.label = "hashes of all tensors",
                                        .loc = SourceLoc::Current(),
                                        .step = state_.next_step()}));
  Desync desync{.step = state_.next_step(), .differences = {}};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::vector<std::uint64_t> hashes;
    for (int r = 0; r < world.size(); ++r) {
      hashes.push_back(every[r * mine.size() + i]);
    }
    AddDifferences(compared[i], hashes, desync);
  }
  if (desync.differences.empty()) return std::optional<Desync>();
  // The run ends of it: no rank leaves before all know.
  LeaveTogether(world);
  return std::optional<Desync>(std::move(desync));
}

StatusOr<std::optional<Desync>> Consistency::CheckNow() {
  Hash(true, true);
  GYRE_ASSIGN_OR_RETURN(const bool equal, HashesEqual(state_, prepared_));
  if (!equal) return Find();
  equal_params_ = equal_states_ = state_.next_step();
  return std::optional<Desync>();
}

}  // namespace gyre::internal::inline train

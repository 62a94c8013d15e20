#include "gyre/train/step/rank_check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "gyre/core/hash.h"
#include "gyre/train/step/bank_tensors.h"
#include "gyre/train/step/step_state.h"
#include "gyre/train/step/sync_ops.h"

namespace gyre::internal::inline train {
namespace {

// An event names so many tensors; what is worse than that is plain.
constexpr std::size_t kMostNamed = 64;

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

// Into the checksum, or the hash of the parts that are cut alike.
void HashStates(StepState& s) {
  if (s.shards.on()) return;
  const std::span<const AxisSet> sets = s.sync.part_sets();
  for (std::size_t k = 0; k < s.state_layouts.size(); ++k) {
    const float* const state = s.current().states()[k];
    if (!s.sync.has_parts()) {
      s.check.checksum =
          Hash64(state, s.state_layouts[k].bytes(), s.check.checksum);
      continue;
    }
    for (const optim::TensorSlot& slot : s.state_layouts[k].tensors()) {
      const int t = s.layout.Find(slot.name);
      const AxisSet cut = t < 0 ? 0 : s.sync.tensor(t).part.axes;
      const auto set = std::find(sets.begin(), sets.end(), cut);
      std::uint64_t& hash =
          cut == 0 ? s.check.checksum : s.part_hashes[set - sets.begin()];
      hash = Hash64(state + slot.offset, slot.size * sizeof(float), hash);
    }
  }
}

// One thing that is compared: its name, its hash here, and over which axes it
// is cut.
struct Compared {
  std::string name;
  AxisSet cut = 0;
  std::int64_t hash = 0;
  std::int64_t equal_before = -1;
};

std::vector<Compared> AllCompared(const StepState& s) {
  const BankTensors tensors =
      TensorsOf(s.layout, s.sync, s.optimizer, s.state_layouts, s.buffers);
  std::vector<Compared> all;
  const auto add = [&](const BankTensor& t,
                       const float* array,
                       std::int64_t equal_before) {
    const std::uint64_t hash = Hash64(array + t.offset, t.size * sizeof(float));
    all.push_back(
        {t.name, t.part.axes, static_cast<std::int64_t>(hash), equal_before});
  };
  const StateBank& bank = s.current();
  for (const BankTensor& t : tensors.params) {
    add(t, bank.params(), s.check.equal_params);
  }
  for (std::size_t k = 0; k < tensors.states.size() && !s.shards.on(); ++k) {
    for (const BankTensor& t : tensors.states[k]) {
      add(t, bank.states()[k], s.check.equal_states);
    }
  }
  for (const BankTensor& t : tensors.buffers) {
    add(t, bank.buffers().data(), s.check.equal_params);
  }
  all.push_back({"counters",
                 0,
                 static_cast<std::int64_t>(HashCounters(s.guard)),
                 s.check.equal_params});
  all.push_back({"order of the samples",
                 0,
                 static_cast<std::int64_t>(s.check.cursor),
                 s.check.equal_params});
  return all;
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

// Compares the holders of each part with each other.
void AddDifferences(const Mesh& mesh,
                    const Compared& compared,
                    const std::vector<std::uint64_t>& hashes,
                    Desync& desync) {
  std::map<int, std::vector<int>> holders;  // by place on the axes
  for (int r = 0; r < mesh.size(); ++r) {
    holders[mesh.PositionOf(r, compared.cut)].push_back(r);
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

std::string Ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += Cat(i == 0 ? "" : ", ", ranks[i]);
  }
  return text;
}

std::string Since(std::int64_t step) {
  if (step < 0) return "not compared before";
  return Cat("equal on all ranks before step ", step);
}

}  // namespace

}  // namespace gyre::internal::inline train

namespace gyre {

using namespace internal;

Status RankChecks::Validate() const {
  if (every >= 0 && states_every >= 0) return OkStatus();
  return ConfigError("checks of the ranks every ",
                     std::min(every, states_every),
                     " steps: expected a number above 0, or 0 for none");
}

}  // namespace gyre

namespace gyre::internal::inline train {

void PrepareCheck(StepState& s, bool params, bool states) {
  s.check.checksum = 0;
  std::fill(s.part_hashes.begin(), s.part_hashes.end(), 0);
  if (s.without_guard || !(params || states)) return;
  if (params) {
    HashState(s);
    s.check.checksum = s.params_hash;
  }
  if (states) HashStates(s);
  const std::uint64_t counts[] = {HashCounters(s.guard), s.check.cursor};
  s.check.checksum = Hash64(counts, sizeof(counts), s.check.checksum);
}

void NoteEqual(StepState& s) {
  if (s.checks.Due(s.step)) s.check.equal_params = s.step;
  if (s.checks.StatesDue(s.step)) s.check.equal_states = s.step;
}

StatusOr<std::optional<Desync>> FindDesync(const StepState& s) {
  const std::vector<Compared> compared = AllCompared(s);
  std::vector<std::int64_t> mine;
  for (const Compared& c : compared) mine.push_back(c.hash);
  Communicator& world = s.mesh.world();
  std::vector<std::int64_t> every(mine.size() * world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(mine.data(),
                                       every.data(),
                                       mine.size(),
                                       DType::kI64,
                                       {.label = "hashes of all tensors",
                                        .loc = SourceLoc::Current(),
                                        .step = s.step}));
  Desync desync{.step = s.step, .differences = {}};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::vector<std::uint64_t> hashes;
    for (int r = 0; r < world.size(); ++r) {
      hashes.push_back(every[r * mine.size() + i]);
    }
    AddDifferences(s.mesh, compared[i], hashes, desync);
  }
  if (desync.differences.empty()) return std::optional<Desync>();
  return std::optional<Desync>(std::move(desync));
}

StatusOr<std::optional<Desync>> CheckRanks(StepState& s) {
  PrepareCheck(s, true, true);
  GYRE_ASSIGN_OR_RETURN(const bool equal, ChecksEqual(s));
  if (!equal) return FindDesync(s);
  s.check.equal_params = s.check.equal_states = s.step;
  return std::optional<Desync>();
}

}  // namespace gyre::internal::inline train

namespace gyre {

using namespace internal;

std::string Desync::Describe() const {
  const Difference& first = differences[0];
  std::string text =
      first.ranks.empty()
          ? Cat(first.name,
                " differs: ",
                first.holders == 2
                    ? "two ranks cannot tell which of them is wrong"
                    : "no majority tells which ranks are wrong")
          : Cat(first.name,
                " differs: ",
                Ranks(first.ranks),
                first.ranks.size() == 1 ? " stands" : " stand",
                " against the others");
  text += "; " + Since(first.equal_before);
  if (differences.size() > 1) {
    text += Cat("; so do ", differences.size() - 1, " more");
    for (std::size_t i = 1; i < std::min<std::size_t>(4, differences.size());
         ++i) {
      text += Cat(i == 1 ? ": " : ", ", differences[i].name);
    }
    if (differences.size() > 4) text += ", ...";
  }
  return text;
}

Json Desync::ToJson() const {
  Json names = Json::Array();
  Json list = Json::Array();
  std::vector<int> ranks;
  for (const Difference& d : differences) {
    ranks.insert(ranks.end(), d.ranks.begin(), d.ranks.end());
    if (list.elements().size() == kMostNamed) continue;
    Json hashes = Json::Array();
    for (const std::uint64_t hash : d.hashes) hashes.Append(HexHash(hash));
    names.Append(d.name);
    list.Append(Json::Object({{"tensor", d.name},
                              {"ranks", Json::ArrayOf(d.ranks)},
                              {"equal_before", d.equal_before},
                              {"hashes", std::move(hashes)}}));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return Json::Object({{"tensors", std::move(names)},
                       {"ranks", Json::ArrayOf(ranks)},
                       {"differ", differences.size()},
                       {"differences", std::move(list)},
                       {"text", Describe()}});
}

}  // namespace gyre

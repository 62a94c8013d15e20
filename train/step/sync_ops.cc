#include "gyre/train/step/sync_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/optim/norm.h"
#include "gyre/train/step/shard_ops.h"

namespace gyre::internal::inline train {
namespace {

// Every rank has the whole reduced gradient, and hears of all others with it.
bool InOnePiece(const StepState& s) {
  return s.sync.in_one_piece() && !s.shards.on();
}

// What all ranks told is this hash.
bool AllTold(std::span<const ControlRecord> records, std::uint64_t hash) {
  return std::all_of(
      records.begin(), records.end(), [hash](const ControlRecord& record) {
        return record.note.checksum == hash;
      });
}

// The axes over which ranks have different elements of the reduced gradient.
AxisSet SpreadOf(const StepState& s, int tensor) {
  const TensorMesh& t = s.sync.tensor(tensor);
  return t.part.axes | (s.shards.on() ? t.reduce : 0);
}

// Elements [first, first + count) of the flat gradient.
double MeasureElements(const StepState& s,
                       std::int64_t first,
                       std::int64_t count) {
  const optim::NormKind kind = s.optimizer.guard().norm;
  const auto n = static_cast<std::size_t>(count);
  return kind == optim::NormKind::kTwo
             ? optim::SumSquares(s.grads + first, n)
             : optim::GlobalNorm(kind, s.grads + first, n);
}

double Joined(optim::NormKind kind, double a, double b) {
  if (kind == optim::NormKind::kTwo) return a + b;
  return b <= a || std::isnan(a) ? a : b;  // NaN stays
}

// The length of the reduced gradient as a number that can be added (a sum of
// squares, or the largest magnitude): of what this rank has of the tensors
// that are spread over `axes`.
double Measure(const StepState& s, AxisSet axes) {
  const optim::NormKind kind = s.optimizer.guard().norm;
  double total = 0;
  for (std::size_t i = 0; i < s.sync.ranges().size(); ++i) {
    const SyncRange& range = s.sync.ranges()[i];
    for (int t = range.begin; t < range.end; ++t) {
      if (SpreadOf(s, t) != axes) continue;
      std::int64_t first = s.layout[t].offset;
      std::int64_t last = first + s.layout[t].size;
      if (s.shards.on()) {
        const StateWindow& window = s.shards.windows()[i];
        first = std::max(first, window.first);
        last = std::min(last, window.first + window.count);
      }
      if (last <= first) continue;
      total = Joined(kind, total, MeasureElements(s, first, last - first));
    }
  }
  return total;
}

// What each rank tells of itself: a hash for each set of axes that parameters
// are cut over, then a length (the bits of a double) for each set that the
// reduced gradient is spread over.
class Words {
 public:
  explicit Words(const StepState& s)
      : s_(s), parts_(s.sync.part_sets()), spreads_(SpreadSets(s)) {}

  Status Gather(const Note& note, bool with_lengths) {
    std::vector<std::int64_t> mine;
    for (const std::uint64_t hash : s_.part_hashes) {
      mine.push_back(static_cast<std::int64_t>(hash));
    }
    for (const AxisSet axes : spreads_) {
      const double length = with_lengths ? Measure(s_, axes) : 0;
      mine.push_back(std::bit_cast<std::int64_t>(length));
    }
    each_ = mine.size();
    all_.resize(each_ * s_.mesh.size());
    return s_.mesh.world().AllGather(mine.data(),
                                     all_.data(),
                                     each_,
                                     DType::kI64,
                                     {.label = "findings and parts",
                                      .loc = SourceLoc::Current(),
                                      .step = s_.step,
                                      .note = note});
  }

  // Whether ranks that hold the same part hold the same numbers.
  bool PartsEqual() const {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      std::vector<std::int64_t> first(s_.mesh.SizeOf(parts_[k]));
      ForEachHolder(parts_[k], [&](int rank) {
        first[s_.mesh.PositionOf(rank, parts_[k])] = Hash(rank, k);
      });
      for (int r = 0; r < s_.mesh.size(); ++r) {
        const int place = s_.mesh.PositionOf(r, parts_[k]);
        if (Hash(r, k) != first[place]) return false;
      }
    }
    return true;
  }

  // The hash of all parts, after `hash`.
  std::uint64_t HashAll(std::uint64_t hash) const {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      ForEachHolder(parts_[k], [&](int rank) {
        const std::int64_t part = Hash(rank, k);
        hash = Hash64(&part, sizeof(part), hash);
      });
    }
    return hash;
  }

  // The length of the whole gradient.
  double Length() const {
    const optim::NormKind kind = s_.optimizer.guard().norm;
    double total = Measure(s_, 0);
    for (std::size_t k = 0; k < spreads_.size(); ++k) {
      ForEachHolder(spreads_[k], [&](int rank) {
        const std::int64_t bits = all_[rank * each_ + parts_.size() + k];
        total = Joined(kind, total, std::bit_cast<double>(bits));
      });
    }
    return total;
  }

 private:
  static std::vector<AxisSet> SpreadSets(const StepState& s) {
    std::vector<AxisSet> sets;
    for (int t = 0; t < s.layout.count(); ++t) {
      const AxisSet axes = SpreadOf(s, t);
      const bool known =
          std::find(sets.begin(), sets.end(), axes) != sets.end();
      if (axes != 0 && !known) sets.push_back(axes);
    }
    return sets;
  }

  // Calls visit(rank) for one holder of each part over `axes`: those that are
  // first on all other axes.
  template <class Visit>
  void ForEachHolder(AxisSet axes, const Visit& visit) const {
    const AxisSet others = s_.mesh.all_axes() & ~axes;
    for (int r = 0; r < s_.mesh.size(); ++r) {
      if (s_.mesh.PositionOf(r, others) == 0) visit(r);
    }
  }
  std::int64_t Hash(int rank, std::size_t k) const {
    return all_[rank * each_ + k];
  }

  const StepState& s_;
  const std::span<const AxisSet> parts_;
  const std::vector<AxisSet> spreads_;
  std::vector<std::int64_t> all_;  // by rank
  std::size_t each_ = 0;
};

// Of a step whose gradients were added in several groups, or left in parts.
Status TellTheWorld(StepState& s, const Note& note) {
  Words words(s);
  GYRE_RETURN_IF_ERROR(words.Gather(note, true));
  s.parts_equal = words.PartsEqual();
  s.gradient_size = words.Length();
  return OkStatus();
}

Status AddRange(StepState& s, std::size_t i, const Note& note) {
  if (s.shards.on()) return ScatterGradients(s, i, note);
  const SyncRange& range = s.sync.ranges()[i];
  Communicator* const group =
      InOnePiece(s) ? &s.mesh.world() : s.mesh.Group(range.axes);
  if (group == nullptr) return OkStatus();
  return group->AllReduce(s.grads + range.offset,
                          s.grads + range.offset,
                          range.count,
                          DType::kF32,
                          ReduceOp::kSum,
                          GradientSite(s, i, note));
}

}  // namespace

Status AddGradients(StepState& s, const Note& note) {
  for (std::size_t i = 0; i < s.sync.ranges().size(); ++i) {
    GYRE_RETURN_IF_ERROR(AddRange(s, i, note));
  }
  if (!InOnePiece(s)) GYRE_RETURN_IF_ERROR(TellTheWorld(s, note));
  NoteHashes(s);
  return OkStatus();
}

CallSite GradientSite(const StepState& s, std::size_t i, const Note& note) {
  return {.label = "gradients",
          .loc = SourceLoc::Current(),
          .bucket = static_cast<std::int32_t>(i),
          .step = s.step,
          .note = note};
}

void NoteHashes(StepState& s) {
  s.hashes_equal = s.parts_equal && AllTold(s.told(), s.check.checksum);
}

double ReducedNorm(const StepState& s) {
  const optim::NormKind kind = s.optimizer.guard().norm;
  if (!InOnePiece(s)) {
    return kind == optim::NormKind::kTwo ? std::sqrt(s.gradient_size)
                                         : s.gradient_size;
  }
  // Of one rank and one micro-batch, the scan has summed the squares already.
  const bool scanned = s.mesh.size() == 1 && !s.micro.several() &&
                       kind == optim::NormKind::kTwo && !s.findings.bad() &&
                       !s.without_guard;
  if (scanned) return s.findings.Norm();
  return optim::GlobalNorm(kind, s.grads, s.layout.elements());
}

Status AgreeOnUpdate(StepState& s, optim::UpdateResult& result) {
  if (!s.sync.has_parts() && !s.shards.on()) return OkStatus();
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  // The first bad tensor of all is the largest of their negatives.
  std::int64_t words[] = {
      result.non_finite,
      result.first_bad_tensor < 0 ? kNone : -result.first_bad_tensor};
  GYRE_RETURN_IF_ERROR(
      s.mesh.world().AllReduce(words,
                               words,
                               std::size(words),
                               DType::kI64,
                               ReduceOp::kMax,
                               {.label = "new values that are not finite",
                                .loc = SourceLoc::Current(),
                                .step = s.step}));
  result.non_finite = words[0];
  result.first_bad_tensor =
      words[1] == kNone ? -1 : static_cast<int>(-words[1]);
  return OkStatus();
}

void HashState(StepState& s) {
  const float* const params = s.current().params();
  const std::span<const float> buffers = s.current().buffers();
  std::uint64_t common = 0;
  if (s.sync.has_parts()) {
    const std::span<const AxisSet> sets = s.sync.part_sets();
    std::fill(s.part_hashes.begin(), s.part_hashes.end(), 0);
    for (int t = 0; t < s.layout.count(); ++t) {
      const AxisSet cut = s.sync.tensor(t).part.axes;
      const auto set = std::find(sets.begin(), sets.end(), cut);
      std::uint64_t& hash =
          cut == 0 ? common : s.part_hashes[set - sets.begin()];
      hash = Hash64(
          params + s.layout[t].offset, s.layout[t].size * sizeof(float), hash);
    }
  } else {
    common = Hash64(params, s.layout.bytes());
  }
  if (!buffers.empty()) {
    common = Hash64(buffers.data(), buffers.size_bytes(), common);
  }
  s.params_hash = common;
}

StatusOr<StateHash> GatherHashes(const StepState& s) {
  Words words(s);
  GYRE_RETURN_IF_ERROR(words.Gather({.checksum = s.params_hash}, false));
  return StateHash{.equal = words.PartsEqual() &&
                            AllTold(s.mesh.world().records(), s.params_hash),
                   .hash = words.HashAll(s.params_hash)};
}

StatusOr<bool> ChecksEqual(const StepState& s) {
  Words words(s);
  GYRE_RETURN_IF_ERROR(words.Gather({.checksum = s.check.checksum}, false));
  return words.PartsEqual() &&
         AllTold(s.mesh.world().records(), s.check.checksum);
}

}  // namespace gyre::internal::inline train

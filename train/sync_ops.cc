#include "train/sync_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/hash.h"
#include "optim/norm.h"

namespace gyre {
namespace {

// What a rank tells of its parts over one set of axes, and of what all hold.
struct PartWords {
  std::int64_t hash = 0;
  std::int64_t size = 0;  // the bits of a double
};
static_assert(sizeof(PartWords) == 2 * sizeof(std::int64_t));

// The length of tensors as a number that can be added: a sum of squares, or
// the largest magnitude.
double Measure(const StepState& s, AxisSet cut) {
  const optim::NormKind kind = s.optimizer.guard().norm;
  double total = 0;
  for (int t = 0; t < s.layout.count(); ++t) {
    if (s.sync.tensor(t).part.axes != cut) continue;
    const float* const x = s.grads + s.layout[t].offset;
    const auto n = static_cast<std::size_t>(s.layout[t].size);
    if (kind == optim::NormKind::kTwo) {
      total += optim::SumSquares(x, n);
    } else {
      const double largest = optim::GlobalNorm(kind, x, n);
      // NaN stays: no comparison with it is true.
      total = largest <= total ? total : largest;
    }
  }
  return total;
}

double Joined(optim::NormKind kind, double a, double b) {
  if (kind == optim::NormKind::kTwo) return a + b;
  return b <= a || std::isnan(a) ? a : b;
}

// Calls visit(rank, its words) for one holder of each part of set `k`: those
// that share rank 0's place on all other axes.
template <class Visit>
void ForEachPart(const StepState& s,
                 const std::vector<PartWords>& words,
                 std::size_t k,
                 const Visit& visit) {
  const std::size_t sets = s.sync.part_sets().size();
  const AxisSet others = s.mesh.all_axes() & ~s.sync.part_sets()[k];
  for (int r = 0; r < s.mesh.size(); ++r) {
    if (s.mesh.PositionOf(r, others) == 0) visit(r, words[r * sets + k]);
  }
}

// Whether holders of the same part hold the same.
bool PartsEqual(const StepState& s, const std::vector<PartWords>& words) {
  const std::span<const AxisSet> sets = s.sync.part_sets();
  bool equal = true;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    ForEachPart(s, words, k, [&](int first, const PartWords& part) {
      for (int r = 0; r < s.mesh.size(); ++r) {
        const bool same_part =
            s.mesh.PositionOf(r, sets[k]) == s.mesh.PositionOf(first, sets[k]);
        if (same_part && words[r * sets.size() + k].hash != part.hash) {
          equal = false;
        }
      }
    });
  }
  return equal;
}

StatusOr<std::vector<PartWords>> GatherParts(const StepState& s,
                                             const Note& note,
                                             bool with_sizes) {
  const std::size_t sets = s.sync.part_sets().size();
  std::vector<PartWords> mine(sets);
  for (std::size_t k = 0; k < sets; ++k) {
    mine[k].hash = static_cast<std::int64_t>(s.part_hashes[k]);
    if (with_sizes) {
      mine[k].size =
          std::bit_cast<std::int64_t>(Measure(s, s.sync.part_sets()[k]));
    }
  }
  std::vector<PartWords> all(sets * s.mesh.size());
  GYRE_RETURN_IF_ERROR(s.mesh.world().AllGather(mine.data(),
                                                all.data(),
                                                2 * sets,
                                                DType::kI64,
                                                {.label = "findings and parts",
                                                 .loc = SourceLoc::Current(),
                                                 .step = s.step,
                                                 .note = note}));
  return all;
}

// Of a step whose gradients were added in several groups.
Status TellTheWorld(StepState& s, const Note& note) {
  GYRE_ASSIGN_OR_RETURN(const std::vector<PartWords> words,
                        GatherParts(s, note, true));
  s.hashes_equal = PartsEqual(s, words);
  const optim::NormKind kind = s.optimizer.guard().norm;
  s.gradient_size = Measure(s, 0);
  for (std::size_t k = 0; k < s.sync.part_sets().size(); ++k) {
    ForEachPart(s, words, k, [&](int, const PartWords& part) {
      s.gradient_size =
          Joined(kind, s.gradient_size, std::bit_cast<double>(part.size));
    });
  }
  return OkStatus();
}

}  // namespace

Status AddGradients(StepState& s, const Note& note) {
  Communicator& world = s.mesh.world();
  for (const SyncRange& range : s.sync.ranges()) {
    Communicator* group =
        s.sync.in_one_piece() ? &world : s.mesh.Group(range.axes);
    if (group == nullptr) continue;
    GYRE_RETURN_IF_ERROR(group->AllReduce(
        s.grads + range.offset,
        s.grads + range.offset,
        range.count,
        DType::kF32,
        ReduceOp::kSum,
        {.label = "gradients",
         .loc = SourceLoc::Current(),
         .bucket = static_cast<std::int32_t>(&range - s.sync.ranges().data()),
         .step = s.step,
         .note = note}));
  }
  s.hashes_equal = true;
  if (!s.sync.in_one_piece()) GYRE_RETURN_IF_ERROR(TellTheWorld(s, note));
  for (const ControlRecord& record : world.records()) {
    if (record.note.checksum != s.params_hash) s.hashes_equal = false;
  }
  return OkStatus();
}

double ReducedNorm(const StepState& s) {
  const optim::NormKind kind = s.optimizer.guard().norm;
  if (!s.sync.in_one_piece()) {
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
  if (!s.sync.has_parts()) return OkStatus();
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
  Communicator& world = s.mesh.world();
  GYRE_ASSIGN_OR_RETURN(const std::vector<PartWords> words,
                        GatherParts(s, {.checksum = s.params_hash}, false));
  StateHash result{.equal = PartsEqual(s, words), .hash = s.params_hash};
  for (const ControlRecord& record : world.records()) {
    if (record.note.checksum != s.params_hash) result.equal = false;
  }
  for (std::size_t k = 0; k < s.sync.part_sets().size(); ++k) {
    ForEachPart(s, words, k, [&](int, const PartWords& part) {
      result.hash = Hash64(&part.hash, sizeof(part.hash), result.hash);
    });
  }
  return result;
}

}  // namespace gyre

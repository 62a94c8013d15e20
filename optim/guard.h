// The guard: the mandatory first stage of every optimizer chain. It decides,
// equally on all ranks, whether a step may touch the parameters.
//
//   local half, before any reduction: scan the gradient, contain what is bad
//   global half, after it: judge by the records of all ranks and by the norm
//   update into the other bank, confirm that it is finite, commit or do not
//
// A verdict is a pure function of what all ranks know: integers that traveled
// with the reduction, the norm of the reduced gradient, and the counters. Its
// id is a hash of these, so that logs can be compared.
//
// The clip by global norm is the guard's: `Guard{.max_norm = 1}`. The norm
// that decides, the norm that clips and the norm that is reported are one
// number.
//
// A group of tensors may have a policy of its own (Guard::groups): what is
// found in them alone is judged by it. Finite but wild gradients are the
// business of max_norm and of the spike rule (optim/spike.h).
//
// WARNING 1: after more than max_consecutive_skips skips in a row every
// further verdict is "halt"; nothing is ever accepted after the budget.
// WARNING 2: kDropRank must know before the reduction which ranks are bad: it
// costs one more small collective a step. It scales by all ranks / healthy
// ranks: right when each rank's gradient has the same weight in the mean.
// WARNING 3: kObserve lets bad numbers into the parameters. It is for
// demonstrations; see StartWarning.

#ifndef GYRE_OPTIM_GUARD_H_
#define GYRE_OPTIM_GUARD_H_

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"
#include "gyre/optim/layout.h"
#include "gyre/optim/loss_scale.h"
#include "gyre/optim/norm.h"
#include "gyre/optim/spike.h"
#include "gyre/optim/where.h"

namespace gyre::optim {

enum class Policy : std::uint8_t {
  kSkip,      // a bad step changes nothing but the data cursor
  kZero,      // bad elements become 0 before the reduction, the rest counts
  kDropRank,  // the mean is taken over the healthy ranks
  kHalt,      // a bad step changes nothing and ends the run
  kObserve,   // everything is applied: unguarded
};

std::string_view NameOf(Policy policy);
StatusOr<Policy> ParsePolicy(std::string_view name);

// Another policy for some tensors.
struct GroupPolicy {
  Where where = NoTensors;
  Policy policy = Policy::kSkip;
};

struct Guard {
  Policy policy = Policy::kSkip;
  // The reduced gradient is scaled down to this norm. Infinity: no clipping.
  double max_norm = std::numeric_limits<double>::infinity();
  // So many bad steps in a row are tolerated; the next one is an error.
  std::int64_t max_consecutive_skips = 10;
  // This share of the last skip_window steps may be skipped. 1: no limit.
  double max_skip_fraction = 0.5;
  std::int64_t skip_window = 100;
  NormKind norm = NormKind::kTwo;  // that clips, decides and is reported
  SpikeRule spike = {};
  AbsurdRule absurd = {};  // on by default (optim/spike.h)
  LossScale loss_scale = {};
  // The first group that a tensor is in decides; the others follow `policy`.
  // A bad loss always does.
  std::array<GroupPolicy, 4> groups = {};

  Policy PolicyOf(const TensorSlot& tensor) const {
    for (const GroupPolicy& group : groups) {
      if (group.where.test(tensor)) return group.policy;
    }
    return policy;
  }
  bool MayDropRanks() const {
    for (const GroupPolicy& group : groups) {
      const bool used = group.where.test != &NoTensors;
      if (used && group.policy == Policy::kDropRank) return true;
    }
    return policy == Policy::kDropRank;
  }
  bool unguarded() const { return policy == Policy::kObserve; }
  Status Validate() const;
  std::string Describe() const;
  // What to say at the start of a run; empty for a guarded one.
  std::string StartWarning() const;
};

// Bits of Note::flags. Bits 8 to 15 are free for others.
inline constexpr std::uint32_t kBadGradient = 1u << 0;
inline constexpr std::uint32_t kBadLoss = 1u << 1;
// Bits 2 to 6: the policies of the tensors with a bad gradient.
constexpr std::uint32_t PolicyBit(Policy policy) {
  return 4u << static_cast<int>(policy);
}
inline constexpr std::uint32_t kPolicyBits = 0x7cu;
inline constexpr std::uint32_t kGuardBits = 0xffu;
// Bits 16 to 31: 1 + the index of the first bad tensor, 0 for none.
inline constexpr int kTensorShift = 16;

// The index of the first bad tensor that a note names, or -1.
int FirstBadTensor(const internal::Note& note);
internal::Note MakeNote(std::uint32_t flags,
                        std::int64_t bad_elements,
                        int tensor);
// Adds the notes of one more bucket to those of the buckets before, rank by
// rank. The first bucket decides the number of ranks.
void MergeNotes(std::span<const internal::ControlRecord> records,
                std::vector<internal::Note>* notes);

// Why a step was not clean. Bits of Verdict::reasons.
inline constexpr std::uint32_t kReasonGradient = 1u << 0;  // on some rank
inline constexpr std::uint32_t kReasonLoss = 1u << 1;      // on some rank
inline constexpr std::uint32_t kReasonReduced = 1u << 2;   // sum overflowed
inline constexpr std::uint32_t kReasonUpdate = 1u << 3;    // new values
inline constexpr std::uint32_t kReasonBudget = 1u << 4;    // spent before
inline constexpr std::uint32_t kReasonSpike = 1u << 5;     // wild, but finite
// The gradient overflowed under a loss scale that could not fall any more.
inline constexpr std::uint32_t kReasonFloor = 1u << 6;

// Finite, and beyond what any batch makes: AbsurdRule.
inline constexpr std::uint32_t kReasonAbsurd = 1u << 7;

// Numbers that are not finite, wherever they were found; and finite ones that
// are too large together.
inline constexpr std::uint32_t kReasonsNotFinite =
    kReasonGradient | kReasonLoss | kReasonReduced | kReasonUpdate;
inline constexpr std::uint32_t kReasonsTooLarge = kReasonSpike | kReasonAbsurd;

enum class Action : std::uint8_t { kApply, kSkip, kHalt };

struct RankFinding {
  int rank = 0;
  std::uint32_t flags = 0;     // kBadGradient, kBadLoss
  std::uint32_t elements = 0;  // bad gradient elements, saturated
  int tensor = -1;             // the first bad one
};

struct Verdict {
  Action action = Action::kApply;
  std::uint32_t reasons = 0;
  double norm = 0;  // of the gradient, before the clip
  double clip = 1;  // min(1, max_norm / norm)
  double spike_limit = std::numeric_limits<double>::infinity();
  // Of an absurd norm: the median of the last clean ones; 0: none yet.
  double usual_norm = 0;
  double rescale = 1;              // all ranks / healthy ranks, by kDropRank
  std::int64_t attempt = 0;        // number of the step, skipped ones included
  std::uint64_t id = 0;            // equal on all ranks that know the same
  std::vector<RankFinding> ranks;  // only those with findings
  int bad_update_tensor = -1;
  std::int64_t bad_update_elements = 0;
  std::uint32_t asked = 0;  // PolicyBits of all that was found
  double loss_scale = 1;    // that the gradient was multiplied with
  bool overflow = false;    // skipped because the loss scale is too large

  bool applies() const { return action == Action::kApply; }
  // What multiplies the reduced gradient.
  double grad_scale() const { return clip * rescale / loss_scale; }
  bool clean() const { return action == Action::kApply && reasons == 0; }
  // "skip: rank 2: 3 bad gradient elements, first in encoder.w1".
  std::string Describe(const FlatLayout& layout) const;
};

// Counters, saved with a checkpoint.
struct GuardState {
  std::int64_t attempted = 0;
  std::int64_t applied = 0;  // schedules and bias corrections count this
  std::int64_t skipped = 0;
  std::int64_t consecutive_skips = 0;
  bool halted = false;
  std::vector<std::int64_t> recent_skips = {};  // attempts, within skip_window
  NormHistory norms = {};                       // of clean steps
  LossScaleState loss_scale = {};

  // Counts a step. An error of kind kGuard when the run must end: a budget is
  // spent, or the policy is kHalt and the step was bad.
  Status AfterStep(const Verdict& verdict,
                   const Guard& guard,
                   const FlatLayout& layout);

  friend bool operator==(const GuardState&, const GuardState&) = default;
};

Verdict Judge(std::span<const internal::Note> notes,
              double global_norm,
              const GuardState& state,
              const Guard& guard);
// The same for a step whose gradient was reduced in one piece.
Verdict Judge(std::span<const internal::ControlRecord> records,
              double global_norm,
              const GuardState& state,
              const Guard& guard);

// The verdict after the new values were checked: one that applied becomes a
// skip (or a halt) when `non_finite` is not zero. Replicas compute the same
// update, so they come to the same verdict; ranks that update only a part
// must agree on the count first.
Verdict ConfirmUpdate(Verdict verdict,
                      std::int64_t non_finite,
                      int first_bad_tensor,
                      const Guard& guard);

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_GUARD_H_

#include "gyre/optim/guard.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gyre/core/check.h"
#include "gyre/core/finite.h"
#include "gyre/core/hash.h"
#include "gyre/core/number.h"
#include "gyre/optim/norm.h"

namespace gyre::optim {

using namespace internal;

namespace {

constexpr std::uint32_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

struct PolicyName {
  Policy policy;
  std::string_view name;
};
constexpr PolicyName kPolicyNames[] = {{Policy::kSkip, "skip"},
                                       {Policy::kZero, "zero"},
                                       {Policy::kDropRank, "drop_rank"},
                                       {Policy::kHalt, "halt"},
                                       {Policy::kObserve, "observe"}};

// What the reasons mean under the policies of what was found.
Action Decide(const Verdict& v, const Guard& guard) {
  if (v.reasons & kReasonBudget) return Action::kHalt;
  if (v.reasons == 0 || guard.unguarded()) return Action::kApply;
  // Nothing could repair these before the reduction.
  const bool late =
      (v.reasons & (kReasonReduced | kReasonUpdate | kReasonAbsurd)) != 0;
  const std::uint32_t asked = v.asked | (late ? PolicyBit(guard.policy) : 0u);
  if (asked & PolicyBit(Policy::kHalt)) return Action::kHalt;
  if (late || (asked & PolicyBit(Policy::kSkip)) != 0) return Action::kSkip;
  const bool spike = (v.reasons & kReasonSpike) != 0;
  if (spike && guard.spike.action == SpikeAction::kSkip) return Action::kSkip;
  return Action::kApply;
}

// The policies that the findings of one rank fall under.
std::uint32_t AskedBy(std::uint32_t flags, const Guard& guard) {
  const std::uint32_t tensors = flags & kPolicyBits;
  const bool run = (flags & kBadLoss) != 0 || tensors == 0;
  return tensors | (run ? PolicyBit(guard.policy) : 0u);
}

// A gradient that is not finite under a finite loss: the loss scale is too
// large, or is at its floor and there is another cause.
void JudgeOverflow(const GuardState& state, const Guard& guard, Verdict& v) {
  const bool bad = (v.reasons & (kReasonGradient | kReasonReduced)) != 0;
  if (!bad || (v.reasons & (kReasonLoss | kReasonBudget)) != 0 ||
      !guard.loss_scale.on() || guard.unguarded()) {
    return;
  }
  if (state.loss_scale.CanBackOff(guard.loss_scale)) {
    v.overflow = true;
    v.action = Action::kSkip;
  } else {
    v.reasons |= kReasonFloor;
    v.action = Action::kHalt;
  }
}

std::uint64_t DecisionId(std::span<const Note> notes,
                         double norm,
                         bool absurd,
                         const GuardState& state,
                         const Guard& guard) {
  std::vector<std::uint64_t> inputs = {
      std::bit_cast<std::uint64_t>(norm),
      std::bit_cast<std::uint64_t>(guard.max_norm),
      std::bit_cast<std::uint64_t>(state.norms.Limit(guard.spike)),
      static_cast<std::uint64_t>(absurd),
      std::bit_cast<std::uint64_t>(state.loss_scale.Scale(guard.loss_scale)),
      static_cast<std::uint64_t>(guard.policy),
      static_cast<std::uint64_t>(guard.max_consecutive_skips),
      static_cast<std::uint64_t>(state.attempted),
      static_cast<std::uint64_t>(state.applied),
      static_cast<std::uint64_t>(state.consecutive_skips),
      static_cast<std::uint64_t>(state.halted)};
  for (const Note& note : notes) {
    // Of a rank without findings the value is no count, and decides nothing.
    const bool bad = (note.flags & (kBadGradient | kBadLoss)) != 0;
    inputs.push_back(std::uint64_t{note.flags} << 32 | (bad ? note.value : 0));
  }
  return Hash64(inputs.data(), inputs.size() * sizeof(inputs[0]));
}

}  // namespace

std::string_view NameOf(Policy policy) {
  for (const PolicyName& p : kPolicyNames) {
    if (p.policy == policy) return p.name;
  }
  return "unknown";
}

StatusOr<Policy> ParsePolicy(std::string_view name) {
  std::string known;
  for (const PolicyName& p : kPolicyNames) {
    if (p.name == name) return p.policy;
    known += Cat(known.empty() ? "" : ", ", p.name);
  }
  return ConfigError("no guard policy \"", name, "\": choose one of ", known);
}

Status Guard::Validate() const {
  if (!(max_norm >= 0)) {
    return ConfigError("the guard's max_norm must be 0 or more, got ",
                       max_norm);
  }
  if (max_consecutive_skips < 0) {
    return ConfigError("max_consecutive_skips must be 0 or more, got ",
                       max_consecutive_skips);
  }
  if (!(max_skip_fraction >= 0 && max_skip_fraction <= 1) || skip_window < 1) {
    return ConfigError(
        "the guard needs 0 <= max_skip_fraction <= 1 and skip_window >= 1; "
        "got ",
        max_skip_fraction,
        " of ",
        skip_window);
  }
  for (const GroupPolicy& group : groups) {
    if (group.policy == Policy::kObserve) {
      return ConfigError(
          "the policy observe is for a whole run, not for a group of tensors: "
          "one bad number reaches all of them");
    }
  }
  GYRE_RETURN_IF_ERROR(loss_scale.Validate());
  GYRE_RETURN_IF_ERROR(absurd.Validate());
  return spike.Validate();
}

// What is as by default is left out.
std::string Guard::Describe() const {
  const Guard usual;
  std::string text = Cat("guard(policy=",
                         NameOf(policy),
                         ", max_norm=",
                         Number(max_norm),
                         ", max_consecutive_skips=",
                         max_consecutive_skips);
  if (max_skip_fraction != usual.max_skip_fraction ||
      skip_window != usual.skip_window) {
    text += Cat(", max_skip_fraction=",
                Number(max_skip_fraction),
                ", skip_window=",
                skip_window);
  }
  if (norm == NormKind::kMax) text += ", norm=max";
  if (spike.action != SpikeAction::kIgnore) text += ", " + spike.Describe();
  if (absurd.factor != usual.absurd.factor) {
    text += Cat(", absurd=", Number(absurd.factor));
  }
  if (loss_scale.on()) text += ", " + loss_scale.Describe();
  for (const GroupPolicy& group : groups) {
    if (group.where.test == &NoTensors) continue;
    text +=
        Cat(", group(", NameOf(group.where), ", ", NameOf(group.policy), ")");
  }
  return text + ")";
}

std::string Guard::StartWarning() const {
  if (!unguarded()) return "";
  return "this run is unguarded (policy observe): bad numbers will reach the "
         "parameters, and no checkpoint of it counts as good";
}

int FirstBadTensor(const Note& note) {
  return static_cast<int>(note.flags >> kTensorShift) - 1;
}

Note MakeNote(std::uint32_t flags, std::int64_t bad_elements, int tensor) {
  const auto index = static_cast<std::uint32_t>(std::min(tensor + 1, 0xffff));
  Note note;
  note.flags = (flags & kGuardBits) | index << kTensorShift;
  note.value = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(bad_elements, 0, kMaxCount));
  return note;
}

void MergeNotes(std::span<const ControlRecord> records,
                std::vector<Note>* notes) {
  if (notes->empty()) notes->resize(records.size());
  GYRE_CHECK(notes->size() == records.size(), "buckets of other groups");
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const Note& found = records[rank].note;
    Note& merged = (*notes)[rank];
    const int before = FirstBadTensor(merged);
    const int tensor = before >= 0 ? before : FirstBadTensor(found);
    const std::uint32_t flags = merged.flags | found.flags;
    merged = MakeNote(
        flags, std::int64_t{merged.value} + std::int64_t{found.value}, tensor);
  }
}

Verdict Judge(std::span<const Note> notes,
              double global_norm,
              const GuardState& state,
              const Guard& guard) {
  Verdict v;
  std::size_t dropped = 0;
  for (std::size_t rank = 0; rank < notes.size(); ++rank) {
    const std::uint32_t flags = notes[rank].flags & kGuardBits;
    if (flags & kBadGradient) v.reasons |= kReasonGradient;
    if (flags & kBadLoss) v.reasons |= kReasonLoss;
    if ((flags & (kBadGradient | kBadLoss)) == 0) continue;
    const std::uint32_t asked = AskedBy(flags, guard);
    v.asked |= asked;
    if (asked & PolicyBit(Policy::kDropRank)) ++dropped;
    v.ranks.push_back({.rank = static_cast<int>(rank),
                       .flags = flags & (kBadGradient | kBadLoss),
                       .elements = notes[rank].value,
                       .tensor = FirstBadTensor(notes[rank])});
  }
  if (!IsFinite(global_norm)) v.reasons |= kReasonReduced;
  if (state.halted || state.consecutive_skips > guard.max_consecutive_skips) {
    v.reasons |= kReasonBudget;
  }
  const std::size_t healthy = notes.size() - dropped;
  if (dropped > 0 && healthy > 0) {
    v.rescale = static_cast<double>(notes.size()) / healthy;
  }
  v.loss_scale = state.loss_scale.Scale(guard.loss_scale);
  v.norm = global_norm * v.rescale / v.loss_scale;
  v.spike_limit = state.norms.Limit(guard.spike);
  if (v.norm > v.spike_limit) v.reasons |= kReasonSpike;
  const bool absurd =
      IsFinite(v.norm) &&
      state.norms.IsAbsurd(v.norm, guard.absurd, state.consecutive_skips);
  if (absurd) {
    v.reasons |= kReasonAbsurd;
    v.usual_norm = state.norms.median();
  }
  v.action = Decide(v, guard);
  if (healthy == 0 && dropped > 0 && v.applies()) {
    v.action = Action::kSkip;  // nobody is left to take the mean over
  }
  JudgeOverflow(state, guard, v);
  v.clip = ClipCoefficient(v.norm, std::min(guard.max_norm, v.spike_limit));
  v.attempt = state.attempted;
  v.id = DecisionId(notes, global_norm, absurd, state, guard);
  return v;
}

Verdict Judge(std::span<const ControlRecord> records,
              double global_norm,
              const GuardState& state,
              const Guard& guard) {
  std::vector<Note> notes;
  MergeNotes(records, &notes);
  return Judge(std::span<const Note>(notes), global_norm, state, guard);
}

Verdict ConfirmUpdate(Verdict verdict,
                      std::int64_t non_finite,
                      int first_bad_tensor,
                      const Guard& guard) {
  if (!verdict.applies() || non_finite == 0) return verdict;
  verdict.reasons |= kReasonUpdate;
  verdict.action = Decide(verdict, guard);
  verdict.bad_update_tensor = first_bad_tensor;
  verdict.bad_update_elements = non_finite;
  const std::uint64_t inputs[] = {static_cast<std::uint64_t>(non_finite),
                                  static_cast<std::uint64_t>(first_bad_tensor)};
  verdict.id = Hash64(inputs, sizeof(inputs), verdict.id);
  return verdict;
}

}  // namespace gyre::optim

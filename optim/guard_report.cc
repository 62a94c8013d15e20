// How verdicts are told to people, and when they end a run.

#include "gyre/optim/guard.h"

namespace gyre::optim {

using namespace internal;

namespace {

std::string TensorName(const FlatLayout& layout, int tensor) {
  if (tensor >= 0 && tensor < layout.count()) return layout[tensor].name;
  return Cat("tensor ", tensor);
}

std::string DescribeRank(const RankFinding& f, const FlatLayout& layout) {
  std::string text = Cat("rank ", f.rank, ":");
  if (f.flags & kBadLoss) text += " loss is not finite";
  if (f.flags & kBadGradient) {
    if (f.flags & kBadLoss) text += ",";
    text += Cat(" ", f.elements, " bad gradient element");
    if (f.elements != 1) text += "s";
    if (f.tensor >= 0) text += ", first in " + TensorName(layout, f.tensor);
  }
  return text;
}

std::string_view NameOf(Action action) {
  switch (action) {
    case Action::kApply:
      return "apply";
    case Action::kSkip:
      return "skip";
    case Action::kHalt:
      break;
  }
  return "halt";
}

// What to do about the last of too many skips.
std::string_view AdviceOn(const Verdict& verdict) {
  if ((verdict.reasons & kReasonsNotFinite) != 0) {
    return ". The records name the operation that made the first bad number, "
           "its line and its sample: gyre doctor reads them";
  }
  return ". Every number was finite, and the steps far too large: look at what "
         "changed before them (gyre doctor), at the learning rate, and at the "
         "samples of these steps";
}

}  // namespace

std::string Verdict::Describe(const FlatLayout& layout) const {
  if (clean()) return "clean";
  std::vector<std::string> parts;
  for (const RankFinding& f : ranks) parts.push_back(DescribeRank(f, layout));
  if (reasons & kReasonReduced) {
    parts.push_back(Cat("the reduced gradient has norm ", norm));
  }
  if (reasons & kReasonSpike) {
    parts.push_back(Cat("the norm ",
                        norm,
                        " is a spike: above ",
                        spike_limit,
                        ", the limit by the median of the last clean steps"));
  }
  if (reasons & kReasonAbsurd) {
    parts.push_back(usual_norm > 0 ? Cat("no batch makes a norm of ",
                                         norm,
                                         ": it is ",
                                         norm / usual_norm,
                                         " times that of the last clean steps")
                                   : Cat("no batch makes a norm of ", norm));
  }
  if (reasons & kReasonUpdate) {
    parts.push_back(Cat("the update has ",
                        bad_update_elements,
                        " bad elements, first in ",
                        bad_update_tensor < 0
                            ? "a buffer of the model"
                            : TensorName(layout, bad_update_tensor)));
  }
  if (overflow) parts.push_back(Cat("overflow at loss scale ", loss_scale));
  if (reasons & kReasonFloor) {
    parts.push_back(Cat("the loss scale is ",
                        loss_scale,
                        ", its floor, and the gradient still overflows: no "
                        "scale cures this"));
  }
  if (reasons & kReasonBudget) parts.push_back("the run was halted before");
  std::string text = Cat(NameOf(action), ":");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? " " : "; ") + parts[i];
  }
  return text;
}

Status GuardState::AfterStep(const Verdict& verdict,
                             const Guard& guard,
                             const FlatLayout& layout) {
  const std::int64_t first = attempted - guard.skip_window + 1;
  std::erase_if(recent_skips, [first](std::int64_t s) { return s < first; });
  ++attempted;
  if (verdict.clean()) norms.Add(verdict.norm, guard.spike);
  if (verdict.applies()) {
    ++applied;
    consecutive_skips = 0;
    if (guard.loss_scale.on()) loss_scale.AfterApplied(guard.loss_scale);
    return OkStatus();
  }
  ++skipped;
  if (verdict.overflow) {
    // The scale has a floor: that is its budget.
    loss_scale.AfterOverflow(guard.loss_scale);
    return OkStatus();
  }
  ++consecutive_skips;
  recent_skips.push_back(attempted - 1);
  if (verdict.action == Action::kHalt) {
    halted = true;
    return GuardError("the guard halts the run at step ",
                      verdict.attempt,
                      " and changed nothing: ",
                      verdict.Describe(layout));
  }
  const bool in_a_row = consecutive_skips > guard.max_consecutive_skips;
  const auto in_window = static_cast<std::int64_t>(recent_skips.size());
  const bool too_many = in_window > guard.max_skip_fraction * guard.skip_window;
  if (!in_a_row && !too_many) return OkStatus();
  halted = true;
  const std::string what = in_a_row ? Cat(consecutive_skips,
                                          " steps in a row and tolerates ",
                                          guard.max_consecutive_skips,
                                          " (max_consecutive_skips)")
                                    : Cat(in_window,
                                          " of the last ",
                                          guard.skip_window,
                                          " steps and tolerates a share of ",
                                          guard.max_skip_fraction,
                                          " (max_skip_fraction)");
  return GuardError("the guard skipped ",
                    what,
                    ": last, at step ",
                    verdict.attempt,
                    ", ",
                    verdict.Describe(layout),
                    AdviceOn(verdict));
}

}  // namespace gyre::optim

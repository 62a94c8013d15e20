#include "gyre/monitor/spikes/evidence.h"

#include <algorithm>
#include <cmath>

#include "gyre/core/finite.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {
namespace {

std::string Shown(double value, Signal signal) {
  return NumberText(signal == Signal::kGradNorm ? std::exp(value) : value);
}

std::string Jump(const std::vector<TraceRow>& rows,
                 const Excursion& e,
                 const Course& course) {
  const std::string name(NameOf(e.signal));
  const std::int64_t step = rows[e.first].step;
  if (e.scale == 0) {
    return Cat(name,
               " was ",
               course.bad > 0 ? "not finite" : "not accepted",
               " at step ",
               step,
               ", in the warm-up: no band is known yet");
  }
  if (!IsFinite(course.peak)) {
    return Cat(name,
               " was not finite at step ",
               step,
               ", where ",
               Shown(e.level, e.signal),
               " was expected");
  }
  const double z = (Scaled(course.peak, e.signal) - e.level) / e.scale;
  return Cat(
      name,
      " left ",
      Shown(e.level, e.signal),
      " at step ",
      step,
      " and reached ",
      NumberText(course.peak),
      ", ",
      NumberText(z),
      e.signal == Signal::kGradNorm ? " scales (of its logarithm)" : " scales",
      " above it (median and MAD of the steps before)");
}

std::string End(const std::vector<TraceRow>& rows, const Course& course) {
  const std::int64_t last = rows[course.last].step;
  if (course.returned) {
    return Cat("back in its band after step ",
               last,
               ", ",
               course.values,
               " logged step(s) after it left");
  }
  if (course.restarted) {
    return Cat("not back when the log restarted after step ", last);
  }
  if (course.ends_bad) return "the log ends in numbers that are not finite";
  if (course.values - course.bad < kFewestForThirds) {
    return Cat("the log ends ",
               course.values,
               " step(s) after it left: too few to tell");
  }
  std::string text = course.Grows()      ? "still growing"
                     : course.Recovers() ? "on its way back"
                                         : "settled at a new level";
  return Cat(
      text,
      course.ended ? ", until it left that too: " : " at the end of the log: ",
      NumberText(course.thirds[0]),
      ", ",
      NumberText(course.thirds[1]),
      ", ",
      NumberText(course.thirds[2]),
      " above the expected in its three thirds");
}

std::string NormText(const NormReaction& norm) {
  if (norm.excursion) return "grad_norm left its band with it";
  if (!norm.known) return "no grad_norm that could confirm it";
  return Cat("grad_norm ",
             norm.quiet() ? "stayed where it was" : "moved somewhat",
             ": at most ",
             NumberText(norm.largest),
             " scales above its level");
}

// What else changed shortly before.
void AddLearningRate(const std::vector<TraceRow>& rows,
                     std::size_t first,
                     std::vector<std::string>& evidence) {
  constexpr std::size_t kLook = 16;
  const TraceRow* older = nullptr;
  for (std::size_t i = first > kLook ? first - kLook : 0;
       i <= first && i < rows.size();
       ++i) {
    if (!rows[i].lr.has_value()) continue;
    const double now = *rows[i].lr;
    if (older != nullptr && *older->lr > 0 && now > 1.5 * *older->lr) {
      evidence.push_back(Cat("lr rose from ",
                             NumberText(*older->lr),
                             " to ",
                             NumberText(now),
                             " at step ",
                             rows[i].step));
    }
    older = &rows[i];
  }
}

}  // namespace

std::vector<std::string> EvidenceOf(const std::vector<TraceRow>& rows,
                                    const SpikeGroup& group,
                                    const Course& course,
                                    const NormReaction& norm) {
  std::vector<std::string> evidence = {Jump(rows, group.main(), course)};
  if (course.bad > 0) {
    evidence.push_back(
        Cat(course.bad, " of its ", course.values, " values are not finite"));
  }
  if (course.skipped > 0) {
    evidence.push_back(
        Cat(course.skipped, " step(s) were skipped: they changed nothing"));
  }
  evidence.push_back(End(rows, course));
  for (std::size_t i = 1; i < group.members.size(); ++i) {
    const Excursion& e = group.members[i];
    const Course other = CourseOf(rows, e);
    // One that was skipped with the loss has not moved itself.
    const bool moved =
        other.bad > 0 || Scaled(other.peak, e.signal) > e.level + 2.5 * e.scale;
    if (moved) evidence.push_back(Jump(rows, e, other));
  }
  if (group.main().signal == Signal::kLoss && !norm.excursion) {
    evidence.push_back(NormText(norm));
  }
  AddLearningRate(rows, group.first(), evidence);
  return evidence;
}

}  // namespace gyre::internal::inline monitor

#include "gyre/monitor/spikes/classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/course.h"
#include "gyre/monitor/spikes/evidence.h"
#include "gyre/monitor/spikes/robust.h"
#include "gyre/monitor/spikes/spike_group.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::size_t kLong = 64;  // values; a return after them may be trend

SpikeClass ClassOf(const Course& course, bool relearned) {
  const bool still = !course.returned;
  if (still && course.ends_bad) {
    // A guard that skipped a few steps has kept the parameters.
    const bool guarded = course.skipped >= course.bad && course.bad < 3;
    return guarded ? SpikeClass::kTransient : SpikeClass::kDivergent;
  }
  if (!still && relearned) return SpikeClass::kPersistent;
  if (!still) {
    const bool by_trend = course.back > 0.5 * course.thirds[0];
    return course.values > kLong && by_trend ? SpikeClass::kPersistent
                                             : SpikeClass::kTransient;
  }
  if (course.Grows()) return SpikeClass::kDivergent;
  const std::size_t finite = course.values - course.bad;
  if (finite < kFewestForThirds || course.Recovers()) {
    return SpikeClass::kTransient;
  }
  return SpikeClass::kPersistent;
}

std::optional<double> Linear(double value, Signal signal) {
  return signal == Signal::kGradNorm ? std::exp(value) : value;
}

// The level after a return; else that at the end of the excursion.
std::optional<double> LevelAfter(const std::vector<TraceRow>& rows,
                                 Signal signal,
                                 const Course& course) {
  constexpr std::size_t kMost = 64;
  std::vector<double> values =
      course.returned
          ? FiniteValues(
                rows, signal, course.last + 1, rows.size() - 1, kMost, false)
          : FiniteValues(rows,
                         signal,
                         course.first,
                         course.ended ? course.last : rows.size() - 1,
                         std::min<std::size_t>(kMost, course.values / 3 + 1),
                         true);
  if (values.empty()) return std::nullopt;
  return Linear(MedianOf(std::move(values)), signal);
}

// Whether the loss rose while the evaluation was out of its band, so slowly
// that its own detector went along.
bool LossRose(const std::vector<TraceRow>& rows, const Course& course) {
  constexpr std::size_t kValues = 16;
  if (course.first == 0) return false;
  const std::vector<double> before =
      FiniteValues(rows, Signal::kLoss, 0, course.first - 1, 2 * kValues, true);
  const std::vector<double> within = FiniteValues(
      rows, Signal::kLoss, course.first, course.last, kValues, true);
  if (before.empty() || within.empty()) return false;
  const double level = MedianOf(before);
  const double scale = kMadToSigma * MadOf(before, level);
  return scale > 0 && MedianOf(within) > level + 6 * scale;
}

Spike Describe(const std::vector<TraceRow>& rows, const SpikeGroup& group) {
  const Excursion& main = group.main();
  const Course course = CourseOf(rows, main);
  Spike spike;
  spike.spike_class = ClassOf(course, main.end == Excursion::End::kRelearned);
  const NormReaction norm = ReactionOf(rows, group);
  const bool alone = main.signal == Signal::kEvalLoss
                         ? !LossRose(rows, course)
                         : main.signal == Signal::kLoss && norm.quiet();
  if (alone && course.bad == 0) spike.spike_class = SpikeClass::kMetricOnly;
  spike.first_step = rows[group.first()].step;
  spike.last_step = rows[std::max(course.last, group.last())].step;
  spike.peak = course.peak;
  if (main.scale > 0) spike.baseline_before = Linear(main.level, main.signal);
  spike.baseline_after = LevelAfter(rows, main.signal, course);
  for (const Excursion& e : group.members) {
    spike.signals.emplace_back(NameOf(e.signal));
  }
  spike.open = !course.ended;
  spike.evidence = EvidenceOf(rows, group, course, norm);
  return spike;
}

}  // namespace

void SpikeClassifier::Add(const TraceRow& row) {
  rows_.push_back(row);
  finder_.Add(row, rows_.size() - 1);
}

std::vector<Spike> SpikeClassifier::Spikes() const {
  std::vector<Spike> spikes;
  for (const SpikeGroup& group : GroupExcursions(rows_, finder_.excursions())) {
    spikes.push_back(Describe(rows_, group));
  }
  return spikes;
}

std::vector<Spike> ClassifyTrace(const Trace& trace) {
  SpikeClassifier first;
  for (const TraceRow& row : trace.rows) first.Add(row);
  SpikeClassifier second;
  second.TakeLimitsOf(first);
  for (const TraceRow& row : trace.rows) second.Add(row);
  return second.Spikes();
}

}  // namespace gyre::internal::inline monitor

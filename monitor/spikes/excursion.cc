#include "gyre/monitor/spikes/excursion.h"

#include <algorithm>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kOutside = 3;          // scales
constexpr std::size_t kReference = 16;  // values

}  // namespace

DetectorOptions OptionsOf(Signal signal) {
  DetectorOptions options;
  if (signal == Signal::kLoss) return options;
  // A norm may drift by its nature, and so may an evaluation (overfitting).
  options.drift = 0;
  if (signal == Signal::kGradNorm) {
    options.log_scale = true;
    return options;
  }
  // Evaluations are few.
  options.warm_up = 6;
  options.window = 32;
  options.relearn = 24;
  return options;
}

std::string_view NameOf(Signal signal) {
  switch (signal) {
    case Signal::kLoss:
      return "loss";
    case Signal::kGradNorm:
      return "grad_norm";
    case Signal::kEvalLoss:
      break;
  }
  return "eval_loss";
}

const std::optional<double>& ValueOf(const TraceRow& row, Signal signal) {
  switch (signal) {
    case Signal::kLoss:
      return row.loss;
    case Signal::kGradNorm:
      return row.grad_norm;
    case Signal::kEvalLoss:
      break;
  }
  return row.eval_loss;
}

ExcursionFinder::ExcursionFinder() {
  for (int i = 0; i < kSignals; ++i) {
    watches_.push_back(
        {SpikeDetector(OptionsOf(static_cast<Signal>(i))), {}, -1, {}});
  }
}

void ExcursionFinder::Add(const TraceRow& row, std::size_t at) {
  if (last_step_.has_value() && row.step < *last_step_) Restart(at);
  last_step_ = row.step;
  for (int i = 0; i < kSignals; ++i) {
    const Signal signal = static_cast<Signal>(i);
    if (ValueOf(row, signal).has_value()) Observe(row, at, signal);
  }
}

void ExcursionFinder::Restart(std::size_t at) {
  for (Watch& watch : watches_) {
    watch.detector.Restarted();
    if (watch.current < 0) continue;
    excursions_[watch.current].end = Excursion::End::kRestarted;
    excursions_[watch.current].closed = at;
    watch.current = -1;
  }
}

void ExcursionFinder::TakeLimitsOf(const ExcursionFinder& other) {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    watches_[i].detector.set_limits(other.watches_[i].detector.limits());
  }
}

// What a signal is measured against. An evaluation is rare, and falls with
// the loss between two of them; its distance from the loss hardly moves.
double ExcursionFinder::ReferenceOf(Signal signal) const {
  if (signal != Signal::kEvalLoss) return 0;
  const Watch& loss = watches_[static_cast<int>(Signal::kLoss)];
  if (loss.current >= 0) {
    const Excursion& open = excursions_[loss.current];
    if (open.scale > 0) return open.level;
  }
  return MedianOf({loss.recent.begin(), loss.recent.end()});
}

void ExcursionFinder::Observe(const TraceRow& row,
                              std::size_t at,
                              Signal signal) {
  Watch& watch = watches_[static_cast<int>(signal)];
  watch.rows.push_back(at);
  // An evaluation is no part of the step that was skipped.
  const bool accepted = row.accepted || signal == Signal::kEvalLoss;
  const double value = *ValueOf(row, signal);
  const double reference = ReferenceOf(signal);
  const Reading reading = watch.detector.Observe(value - reference, accepted);
  if (IsFinite(value)) watch.recent.push_back(value);
  if (watch.recent.size() > kReference) watch.recent.pop_front();
  if (reading.starts > 0) {
    const std::size_t back =
        std::min<std::size_t>(reading.starts, watch.rows.size());
    watch.current = static_cast<std::ptrdiff_t>(excursions_.size());
    excursions_.push_back({.signal = signal,
                           .first = watch.rows[watch.rows.size() - back],
                           .last = at,
                           .level = reading.level + reference,
                           .scale = reading.scale});
  }
  if (watch.current < 0) return;
  Excursion& excursion = excursions_[watch.current];
  if (!accepted || reading.z > kOutside) excursion.last = at;
  if (!reading.returned && !reading.relearned) return;
  excursion.closed = at;
  excursion.end =
      reading.returned ? Excursion::End::kReturned : Excursion::End::kRelearned;
  watch.current = -1;
}

}  // namespace gyre::internal::inline monitor

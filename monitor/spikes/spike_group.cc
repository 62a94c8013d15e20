#include "gyre/monitor/spikes/spike_group.h"

#include <algorithm>
#include <cmath>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/course.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::size_t kNear = 6;         // rows between two signals' excursions
constexpr std::size_t kNormBefore = 96;  // values that show its level
constexpr std::size_t kReactionRows = 16;

bool Near(const SpikeGroup& group, const Excursion& e) {
  return e.first <= group.last() + kNear && group.first() <= e.last + kNear;
}

void Take(SpikeGroup& group, const Excursion& e) {
  for (Excursion& member : group.members) {
    if (member.signal != e.signal) continue;
    // The same signal again: the one excursion goes on. Whatever it was, its
    // end is that of the later one.
    const double level = member.level;
    const double scale = member.scale;
    const std::size_t first = member.first;
    if (e.last >= member.last) member = e;
    member.first = std::min(first, e.first);
    if (scale > 0) {
      member.level = level;
      member.scale = scale;
    }
    return;
  }
  group.members.push_back(e);
}

// A rise that goes on from a level which an earlier one had made the level.
bool GoesOn(const SpikeGroup& group, const Excursion& e) {
  const Excursion* before = group.Find(e.signal);
  return before != nullptr && before->end == Excursion::End::kRelearned &&
         e.end == Excursion::End::kOpen && e.level > before->level;
}

void SetLimits(std::vector<Excursion>& excursions) {
  for (std::size_t i = 0; i < excursions.size(); ++i) {
    Excursion& e = excursions[i];
    if (e.end != Excursion::End::kRelearned) continue;
    for (std::size_t j = i + 1; j < excursions.size(); ++j) {
      const Excursion& next = excursions[j];
      const bool moves_on = next.signal == e.signal && next.first > e.closed &&
                            next.end != Excursion::End::kReturned;
      if (moves_on) {
        e.limit = next.first;
        break;
      }
    }
  }
}

bool WorthSaying(const std::vector<TraceRow>& rows, const SpikeGroup& group) {
  if (group.main().signal != Signal::kGradNorm) return true;
  const Course course = CourseOf(rows, group.main());
  if (course.bad > 0 || course.skipped > 0 || course.scale == 0) return true;
  return std::log(course.peak) > course.level + std::log(2.0);
}

}  // namespace

const Excursion* SpikeGroup::Find(Signal signal) const {
  for (const Excursion& e : members) {
    if (e.signal == signal) return &e;
  }
  return nullptr;
}

std::size_t SpikeGroup::first() const {
  std::size_t row = main().first;
  for (const Excursion& e : members) row = std::min(row, e.first);
  return row;
}

std::size_t SpikeGroup::last() const {
  std::size_t row = 0;
  for (const Excursion& e : members) row = std::max(row, e.last);
  return row;
}

std::vector<SpikeGroup> GroupExcursions(const std::vector<TraceRow>& rows,
                                        std::vector<Excursion> excursions) {
  std::stable_sort(
      excursions.begin(),
      excursions.end(),
      [](const Excursion& a, const Excursion& b) { return a.first < b.first; });
  SetLimits(excursions);
  std::vector<SpikeGroup> groups;
  for (const Excursion& e : excursions) {
    const bool same =
        !groups.empty() && (Near(groups.back(), e) || GoesOn(groups.back(), e));
    if (!same) groups.emplace_back();
    if (same) {
      Take(groups.back(), e);
    } else {
      groups.back().members.push_back(e);
    }
  }
  for (SpikeGroup& group : groups) {
    std::sort(group.members.begin(),
              group.members.end(),
              [](const Excursion& a, const Excursion& b) {
                return a.signal < b.signal;
              });
  }
  std::erase_if(groups, [&](const SpikeGroup& group) {
    return !WorthSaying(rows, group);
  });
  return groups;
}

NormReaction ReactionOf(const std::vector<TraceRow>& rows,
                        const SpikeGroup& group) {
  NormReaction reaction;
  reaction.excursion = group.Find(Signal::kGradNorm) != nullptr;
  const std::size_t first = group.first();
  if (first == 0) return reaction;
  const std::vector<double> before =
      FiniteValues(rows, Signal::kGradNorm, 0, first - 1, kNormBefore, true);
  const double level = MedianOf(before);
  const double scale = kMadToSigma * MadOf(before, level);
  if (before.size() < 16 || scale < 1e-9) return reaction;
  // From the row before: what moves first may be the norm.
  const std::size_t last = std::min(group.last() + 1, first + kReactionRows);
  std::vector<double> z = FiniteValues(
      rows, Signal::kGradNorm, first - 1, last, kReactionRows, false);
  if (z.empty()) return reaction;
  reaction.known = true;
  for (double& value : z) value = (value - level) / scale;
  std::sort(z.begin(), z.end());
  reaction.largest = z.back();
  reaction.times = std::exp(z.back() * scale);
  if (z.size() >= 8) reaction.usual = z[z.size() * 3 / 4];
  // A slow divergence shows at its end.
  const double end = MedianOf(FiniteValues(
      rows, Signal::kGradNorm, group.first(), group.last(), 16, true));
  if (group.last() > first + 2 * kReactionRows) {
    reaction.usual = std::max(reaction.usual, (end - level) / scale);
  }
  return reaction;
}

}  // namespace gyre::internal::inline monitor

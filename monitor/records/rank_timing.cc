#include "gyre/monitor/records/rank_timing.h"

#include <algorithm>
#include <map>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kLate = 0.2;  // of the median step
// Less is what any rank is late by on a machine that has other work, and rank 0
// by the records that it writes.
constexpr double kLateMs = 1;

struct Waits {
  int least_rank = -1;
  double least = 0;
  double second = 0;
  int ranks = 0;

  void Add(int rank, double wait) {
    ++ranks;
    if (least_rank < 0 || wait < least) {
      if (least_rank >= 0) second = least;
      least = wait;
      least_rank = rank;
    } else if (ranks == 2 || wait < second) {
      second = wait;
    }
  }
};

// Who entered the reduction last, and by how much, where that was recorded.
// Returns for how many steps it was.
std::size_t ArrivalsOf(const RunRecords& records,
                       double least_ms,
                       std::map<int, std::size_t>& late) {
  std::size_t known = 0;
  for (const Json& line : records.metrics) {
    const auto rank = NumberIn(line, "last_rank");
    const auto behind = NumberIn(line, "last_behind_ms");
    if (!rank.has_value() || !behind.has_value()) continue;
    ++known;
    if (*behind > least_ms) ++late[static_cast<int>(*rank)];
  }
  return known;
}

}  // namespace

std::vector<RankTiming> TimingOf(const RunRecords& records) {
  std::vector<RankTiming> timing;
  if (records.ranks.size() < 2) return timing;
  std::map<double, Waits> by_step;
  std::vector<double> all_steps;
  for (const auto& [rank, lines] : records.ranks) {
    std::vector<double> steps;
    std::vector<double> waits;
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      const auto step_ms = NumberIn(line, "step_ms");
      const auto wait_ms = NumberIn(line, "wait_ms");
      if (!step || !step_ms || !wait_ms) continue;
      if (!IsFinite(*step_ms) || !IsFinite(*wait_ms)) continue;
      steps.push_back(*step_ms);
      waits.push_back(*wait_ms);
      by_step[*step].Add(rank, *wait_ms);
    }
    if (steps.empty()) continue;
    all_steps.insert(all_steps.end(), steps.begin(), steps.end());
    RankTiming one;
    one.rank = rank;
    one.steps = steps.size();
    one.longest_ms = *std::max_element(steps.begin(), steps.end());
    one.step_ms = MedianOf(std::move(steps));
    one.wait_ms = MedianOf(std::move(waits));
    timing.push_back(one);
  }
  const double least =
      std::max(kLateMs, kLate * MedianOf(std::move(all_steps)));
  std::map<int, std::size_t> late;
  std::size_t known = ArrivalsOf(records, least, late);
  if (known == 0) {
    known = by_step.size();
    for (const auto& [step, waits] : by_step) {
      if (waits.ranks > 1 && waits.second - waits.least > least) {
        ++late[waits.least_rank];
      }
    }
  }
  for (RankTiming& one : timing) {
    one.late_share = static_cast<double>(late[one.rank]) / known;
  }
  return timing;
}

const RankTiming* StragglerOf(const std::vector<RankTiming>& timing) {
  const RankTiming* latest = nullptr;
  double second = 0;
  for (const RankTiming& one : timing) {
    if (latest == nullptr || one.late_share > latest->late_share) {
      if (latest != nullptr) second = std::max(second, latest->late_share);
      latest = &one;
    } else {
      second = std::max(second, one.late_share);
    }
  }
  if (latest == nullptr || latest->late_share < 0.1) return nullptr;
  return latest->late_share >= 3 * second ? latest : nullptr;
}

}  // namespace gyre::internal::inline monitor

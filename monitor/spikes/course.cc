#include "gyre/monitor/spikes/course.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kInBand = 2.5;      // scales
constexpr std::size_t kBack = 8;     // values in the band that are a return
constexpr std::size_t kTrend = 128;  // values that show the trend

// The first row from `from` on where the signal is back in the band for
// kBack values; the number of rows if it is not.
std::size_t FindReturn(const std::vector<TraceRow>& rows,
                       const Excursion& e,
                       std::size_t from) {
  std::size_t calm = 0;
  for (std::size_t i = from; i < rows.size(); ++i) {
    const auto& value = ValueOf(rows[i], e.signal);
    if (!value.has_value()) continue;
    const double z = (Scaled(*value, e.signal) - e.level) / e.scale;
    calm = IsFinite(z) && z <= kInBand ? calm + 1 : 0;
    if (calm >= kBack) return i + 1 - kBack;
  }
  return rows.size();
}

// How the level had been falling: its change over one value, never positive.
double TrendBefore(const std::vector<TraceRow>& rows, const Excursion& e) {
  if (e.first == 0) return 0;
  const std::vector<double> before =
      FiniteValues(rows, e.signal, 0, e.first - 1, kTrend, true);
  if (before.size() < 32) return 0;
  const auto middle = before.begin() + before.size() / 2;
  const double fall =
      MedianOf({middle, before.end()}) - MedianOf({before.begin(), middle});
  if (fall > -e.scale) return 0;
  return fall / (before.size() / 2.0);
}

// The fall that was to be expected. It dies out over a third of the time that
// the run had before: who trains for longer falls more slowly.
double Expected(double trend, std::size_t since, std::size_t before) {
  const double time = std::max<double>(kTrend, before / 3.0);
  return trend * time * (1 - std::exp(-static_cast<double>(since) / time));
}

std::array<double, 3> ThirdsOf(const std::vector<double>& excess) {
  std::array<double, 3> thirds = {};
  const std::size_t n = excess.size();
  if (n < kFewestForThirds) return thirds;
  for (std::size_t i = 0; i < 3; ++i) {
    thirds[i] = MedianOf(
        {excess.begin() + n * i / 3, excess.begin() + n * (i + 1) / 3});
  }
  return thirds;
}

// Where the course ends: at its last bad row, or, when the new level became
// the level, where it later returned.
void FindEnd(const std::vector<TraceRow>& rows,
             const Excursion& e,
             Course& course) {
  course.last = e.last;
  course.returned = e.end == Excursion::End::kReturned;
  course.restarted = e.end == Excursion::End::kRestarted;
  if (e.end != Excursion::End::kRelearned) return;
  const std::size_t back = FindReturn(rows, e, e.closed);
  course.returned = back < std::min(rows.size(), e.limit);
  course.last = std::min(back, e.limit) - 1;
}

}  // namespace

double Scaled(double value, Signal signal) {
  if (signal != Signal::kGradNorm || !IsFinite(value)) return value;
  return std::log(std::max(value, 1e-30));
}

std::vector<double> FiniteValues(const std::vector<TraceRow>& rows,
                                 Signal signal,
                                 std::size_t first,
                                 std::size_t last,
                                 std::size_t most,
                                 bool newest) {
  std::vector<double> values;
  const std::size_t n = std::min(last + 1, rows.size());
  for (std::size_t i = first; i < n && values.size() < most; ++i) {
    const std::size_t at = newest ? n - 1 - (i - first) : i;
    const auto& value = ValueOf(rows[at], signal);
    if (value.has_value() && IsFinite(*value)) {
      values.push_back(Scaled(*value, signal));
    }
  }
  if (newest) std::reverse(values.begin(), values.end());
  return values;
}

bool Course::Grows() const {
  const double noise = 1.5 * scale;
  return raw[2] > raw[1] + std::max(noise, 0.12 * raw[2]) && raw[1] > raw[0] &&
         raw[2] > 1.3 * raw[0];
}

// A level that is held is none that falls, however high the peak before it was.
bool Course::Settles() const {
  return thirds[2] > 4 * scale && thirds[2] > 0.75 * thirds[1];
}

bool Course::Recovers() const {
  return thirds[0] > 0 && thirds[2] < 0.4 * thirds[0] && !Settles();
}

Course CourseOf(const std::vector<TraceRow>& rows, const Excursion& e) {
  Course course;
  course.first = e.first;
  course.level = e.level;
  course.scale = e.scale;
  FindEnd(rows, e, course);
  const double trend = TrendBefore(rows, e);
  std::vector<double> excess;
  std::vector<double> raw;
  double peak = -std::numeric_limits<double>::infinity();
  // An open excursion lasts to the end of the log, in or out of the band.
  std::size_t until = course.last;
  course.ended = course.returned || course.restarted || e.limit < rows.size();
  if (!course.ended) until = rows.size() - 1;
  for (std::size_t i = e.first; i <= until; ++i) {
    const auto& value = ValueOf(rows[i], e.signal);
    course.skipped += rows[i].accepted ? 0 : 1;
    if (!value.has_value()) continue;
    ++course.values;
    course.ends_bad = !IsFinite(*value);
    if (*value > peak) peak = *value;
    if (course.ends_bad) {
      ++course.bad;
      continue;
    }
    raw.push_back(Scaled(*value, e.signal) - e.level);
    excess.push_back(raw.back() - Expected(trend, i - e.first, e.first));
  }
  course.peak = std::isinf(peak) && peak < 0
                    ? std::numeric_limits<double>::quiet_NaN()
                    : peak;
  course.thirds = ThirdsOf(excess);
  course.raw = ThirdsOf(raw);
  if (course.returned) {
    const std::vector<double> after = FiniteValues(
        rows, e.signal, course.last + 1, rows.size() - 1, kBack, false);
    course.back = MedianOf(after) - e.level -
                  Expected(trend, course.last - e.first, e.first);
  }
  return course;
}

}  // namespace gyre::internal::inline monitor

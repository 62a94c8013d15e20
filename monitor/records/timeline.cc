#include "gyre/monitor/records/timeline.h"

#include <algorithm>
#include <map>

#include "gyre/core/finite.h"
#include "gyre/monitor/records/causes.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kUsPerMs = 1000;

double Positive(const Json& record, std::string_view key) {
  const auto value = NumberIn(record, key);
  return value.has_value() && IsFinite(*value) ? std::max(*value, 0.0) : 0;
}

// When each step ends, in microseconds since the first began: the slowest
// rank decides.
std::map<std::int64_t, double> EndsOfSteps(const RunRecords& records) {
  std::map<std::int64_t, double> ends;
  for (const auto& [rank, lines] : records.ranks) {
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      if (!step.has_value()) continue;
      double& longest = ends[static_cast<std::int64_t>(*step)];
      longest = std::max(longest, Positive(line, "step_ms") * kUsPerMs);
    }
  }
  double now = 0;
  for (auto& [step, end] : ends) {
    now += end;
    end = now;
  }
  return ends;
}

}  // namespace

ChromeTrace TimelineOf(const RunRecords& records) {
  ChromeTrace trace;
  const std::map<std::int64_t, double> ends = EndsOfSteps(records);
  for (const auto& [rank, lines] : records.ranks) {
    trace.Name(rank, Cat("rank ", rank));
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      if (!step.has_value()) continue;
      const double end = ends.at(static_cast<std::int64_t>(*step));
      const double whole = Positive(line, "step_ms") * kUsPerMs;
      const double wait = std::min(Positive(line, "wait_ms") * kUsPerMs, whole);
      const std::string name = Cat("step ", static_cast<std::int64_t>(*step));
      trace.Span(rank, "compute", name, end - whole, whole - wait, line);
      trace.Span(rank, "reduce and wait", name, end - wait, wait);
    }
  }
  for (const Event& event : records.events) {
    const auto end = ends.find(event.step);
    if (end == ends.end()) continue;
    trace.Mark(event.rank,
               event.kind,
               end->second,
               Json::Object({{"what", DescribeEvent(event)}}));
  }
  return trace;
}

}  // namespace gyre::internal::inline monitor

// Where the time goes, and for whom the others wait.

#include <cstdio>

#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/records/rank_timing.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/sections.h"
#include "gyre/monitor/report/series.h"

namespace gyre::internal::inline monitor {
namespace {

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * share);
  return text;
}

std::string Verdict(const std::vector<RankTiming>& timing) {
  const RankTiming* late = StragglerOf(timing);
  if (late == nullptr) {
    return "<p>No straggler: no rank comes last much more often than the "
           "others.</p>\n";
  }
  return Cat("<p>Rank ",
             late->rank,
             " came clearly last in ",
             Percent(late->late_share),
             " of the steps: the others waited for it.</p>\n");
}

std::string RanksTable(const std::vector<RankTiming>& timing) {
  std::vector<std::vector<std::string>> rows;
  for (const RankTiming& one : timing) {
    rows.push_back({Cat(one.rank),
                    Cat(one.steps),
                    NumberText(one.step_ms),
                    NumberText(one.wait_ms),
                    NumberText(one.longest_ms),
                    Percent(one.late_share)});
  }
  return Table(
      {"rank", "steps", "step, ms", "waiting, ms", "longest, ms", "came last"},
      rows,
      "rrrrrr",
      "Ranks (medians)");
}

}  // namespace

std::string TimingSection(const ReportInput& input) {
  const RunRecords& records = input.records;
  Chart chart;
  chart.title = "time of a step";
  chart.unit = "in ms";
  chart.log_y = true;
  chart.lines.push_back(
      LineOf(records.metrics, "step_ms", "whole step, rank 0", "c1"));
  chart.lines.push_back(
      LineOf(records.metrics, "wait_ms", "reducing and waiting", "c4"));
  std::string out = Render(chart);
  const std::vector<RankTiming> timing = TimingOf(records);
  if (timing.empty()) return out;
  Chart waits;
  waits.title = "waiting in the reductions";
  waits.unit = "in ms";
  waits.log_y = true;
  auto [least, largest] = RankExtremes(records, "wait_ms");
  least.css = "c1";
  waits.lines = {std::move(largest), std::move(least)};
  Chart behind;
  behind.title = "how far the last rank was behind";
  behind.unit = "in ms";
  behind.log_y = true;
  behind.lines.push_back(
      LineOf(records.metrics, "last_behind_ms", "behind", "c2"));
  out += Verdict(timing) + RanksTable(timing) + Render(waits) + Render(behind);
  return out;
}

}  // namespace gyre::internal::inline monitor

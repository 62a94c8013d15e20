// Telemetry: sizes by layer, groups of the loss, masks, memory.

#include <algorithm>
#include <iterator>
#include <utility>

#include "gyre/core/status.h"
#include "gyre/monitor/records/telemetry.h"
#include "gyre/monitor/report/sections.h"
#include "gyre/monitor/report/series.h"

namespace gyre::internal::inline monitor {
namespace {

struct Title {
  const char* key;
  const char* text;
};

// What layers/KEY means; other keys are their own titles.
constexpr Title kTitles[] = {
    {"layers/grad_norm", "gradient norm by tensor, all ranks together"},
    {"layers/grad_max", "largest element of the gradient, by tensor"},
    {"layers/param_norm", "norm of the parameters, by tensor"},
    {"layers/update_ratio",
     "update ratio by tensor: what a step changes over what is there"},
    {"masks", "valid cells, by the line of the masked mean"},
};

std::string TitleOf(const std::string& key) {
  for (const Title& title : kTitles) {
    if (key == title.key) return title.text;
  }
  return key;
}

HeatMap MapOf(const ReportInput& input,
              std::string_view key,
              std::string title) {
  HeatMap map;
  map.title = std::move(title);
  for (TelemetryLine& line : LargestOfRanks(input.records, key)) {
    map.rows.push_back(
        {std::move(line.name), std::move(line.x), std::move(line.y)});
  }
  return map;
}

// Groups share a chart, and so many colours.
constexpr const char* kColours[] = {"c1", "c2", "c3", "c4"};

std::string GroupCharts(const ReportInput& input) {
  std::vector<TelemetryLine> groups = GroupLosses(input.records);
  std::string out;
  const std::size_t each = std::size(kColours);
  for (std::size_t start = 0; start < groups.size(); start += each) {
    Chart chart;
    chart.title = "loss by group";
    chart.log_y = true;
    for (std::size_t i = start; i < std::min(start + each, groups.size());
         ++i) {
      chart.lines.push_back({std::move(groups[i].name),
                             kColours[i - start],
                             std::move(groups[i].x),
                             std::move(groups[i].y)});
    }
    out += Render(chart);
  }
  return out;
}

std::string MemoryChart(const ReportInput& input) {
  Chart chart;
  chart.title = "memory of the largest process";
  chart.unit = "in MB";
  chart.from_zero = true;
  TelemetryLine used = MachineLine(input.records, "rss_mb");
  TelemetryLine swapped = MachineLine(input.records, "swap_mb");
  chart.lines.push_back({"in use", "c1", std::move(used.x), std::move(used.y)});
  chart.lines.push_back(
      {"swapped out", "c2", std::move(swapped.x), std::move(swapped.y)});
  return Render(chart);
}

}  // namespace

std::string LayersSection(const ReportInput& input) {
  std::string out = GroupCharts(input);
  for (HeatMap& map : ObjectsOfNumbers(input.records.metrics)) {
    map.title = TitleOf(map.title);
    out += Render(map);
  }
  if (input.records.ranks.size() > 1) {
    out += Render(MapOf(input,
                        "local_norm",
                        "gradient norm by tensor, the largest of the ranks' "
                        "own"));
  }
  out += Render(MapOf(input,
                      "act_norm",
                      "activations by layer (root mean "
                      "square), the largest of the ranks"));
  out += Render(MapOf(input, "act_max", "largest activation, by layer"));
  return out + MemoryChart(input);
}

}  // namespace gyre::internal::inline monitor

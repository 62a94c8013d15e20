// Many signals over the steps, one row each: norms by layer.
//
//   HeatMap map;
//   map.title = "gradient norm by tensor";
//   map.rows.push_back({"conv1.weight", steps, norms});
//   page += Render(map);
//
// A cell's colour is its value over the row's median, from a hundredth (blue)
// to a hundred times (red); rows differ too much for one scale. A group of
// steps shows its largest value. What is not finite is black on white, or
// white on black.

#ifndef GYRE_MONITOR_REPORT_HEAT_MAP_H_
#define GYRE_MONITOR_REPORT_HEAT_MAP_H_

#include <string>
#include <vector>

namespace gyre::internal::inline monitor {

struct HeatRow {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct HeatMap {
  std::string title;
  std::vector<HeatRow> rows;
};

std::string Render(const HeatMap& map);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_HEAT_MAP_H_

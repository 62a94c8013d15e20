// A line chart for a page: axes, several lines, a band, marks.
//
//   Chart chart;
//   chart.title = "loss";
//   chart.lines.push_back({"loss", "c1", steps, losses});
//   chart.marks.push_back({412, 412, "transient", "skip at step 412"});
//   page += Render(chart);
//
// The lines are SVG that is stretched to the width of the page; the labels
// are HTML, so that they keep their size on a phone. A line of many points is
// drawn by the least and the largest of each group, so that a spike of one
// step is never lost. Where a value is not finite the line has a gap, and a
// mark at the upper edge says so.

#ifndef GYRE_MONITOR_REPORT_CHART_H_
#define GYRE_MONITOR_REPORT_CHART_H_

#include <string>
#include <vector>

namespace gyre::internal::inline monitor {

struct ChartLine {
  std::string name;
  std::string css;  // a class of the page's style: c1 to c4, or faint
  std::vector<double> x;
  std::vector<double> y;
};

// A stretch of steps with something to say about it.
struct ChartMark {
  double first = 0;
  double last = 0;
  std::string css;   // transient, persistent, divergent, metric, event
  std::string text;  // for the reader of the page, on hover and aloud
};

struct Chart {
  std::string title;
  std::string unit;  // beside the title
  std::string x_name = "step";
  std::string summary;  // one sentence: what the chart shows
  bool log_y = false;   // if all values are positive
  bool from_zero = false;
  std::vector<ChartLine> lines;
  std::vector<ChartMark> marks;
};

// Empty if no line has a finite value.
std::string Render(const Chart& chart);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_CHART_H_

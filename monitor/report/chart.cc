#include "gyre/monitor/report/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "gyre/core/finite.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/axis.h"
#include "gyre/monitor/report/html.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The units of the drawing, which is stretched.
constexpr double kWide = 1000;
constexpr double kHigh = 300;
constexpr std::size_t kGroups = 700;   // of points, least and largest drawn
constexpr std::size_t kHovered = 400;  // points that can be read by hovering

struct Range {
  double low = kInfinity;
  double high = -kInfinity;
  void Add(double value) {
    if (!IsFinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

struct Frame {
  Axis x;
  Axis y;
  double X(double value) const { return x.Place(value) * kWide; }
  double Y(double value) const { return (1 - y.Place(value)) * kHigh; }
};

bool AllPositive(const Chart& chart) {
  for (const ChartLine& line : chart.lines) {
    for (const double y : line.y) {
      if (IsFinite(y) && y < 0) return false;
    }
  }
  return true;
}

// On a logarithmic axis a zero would take the axis far down.
Range RangeOfY(const Chart& chart, bool log) {
  Range range;
  for (const ChartLine& line : chart.lines) {
    for (const double y : line.y) {
      if (!log || y > 0) range.Add(y);
    }
  }
  if (chart.from_zero && !log) range.Add(0);
  return range;
}

class PathWriter {
 public:
  explicit PathWriter(const Frame& frame) : frame_(frame) {}

  void Add(double x, double y) {
    if (!IsFinite(y)) {
      pen_down_ = false;
      return;
    }
    // A restart goes back to an earlier step: another stroke.
    if (x < last_x_) pen_down_ = false;
    last_x_ = x;
    path_ += (pen_down_ ? 'L' : 'M') + Number(frame_.X(x)) + " " +
             Number(frame_.Y(y));
    // A point alone is a line of no length, which round ends make a dot.
    if (!pen_down_) path_ += "h0";
    pen_down_ = true;
  }
  const std::string& path() const { return path_; }

 private:
  const Frame& frame_;
  std::string path_;
  double last_x_ = -kInfinity;
  bool pen_down_ = false;
};

std::string PathOf(const ChartLine& line, const Frame& frame) {
  PathWriter writer(frame);
  const std::size_t n = line.x.size();
  const std::size_t group = std::max<std::size_t>(1, n / kGroups);
  for (std::size_t start = 0; start < n; start += group) {
    const std::size_t end = std::min(n, start + group);
    std::size_t low = start;
    std::size_t high = start;
    bool gap = false;
    for (std::size_t i = start; i < end; ++i) {
      gap |= !IsFinite(line.y[i]);
      if (!(line.y[i] >= line.y[low])) low = i;
      if (!(line.y[i] <= line.y[high])) high = i;
    }
    if (gap || group < 3) {
      for (std::size_t i = start; i < end; ++i)
        writer.Add(line.x[i], line.y[i]);
      continue;
    }
    writer.Add(line.x[std::min(low, high)], line.y[std::min(low, high)]);
    if (low != high) {
      writer.Add(line.x[std::max(low, high)], line.y[std::max(low, high)]);
    }
  }
  return Cat("<path class=\"line ", line.css, "\" d=\"", writer.path(), "\"/>");
}

std::string BadPoints(const Chart& chart, const Frame& frame) {
  std::string path;
  std::size_t count = 0;
  for (const ChartLine& line : chart.lines) {
    for (std::size_t i = 0; i < line.x.size() && count < 2000; ++i) {
      if (IsFinite(line.y[i])) continue;
      path += Cat("M", Number(frame.X(line.x[i])), " 2v9");
      ++count;
    }
  }
  if (path.empty()) return "";
  return Cat("<path class=\"bad\" d=\"", path, "\"/>");
}

std::string Marks(const Chart& chart, const Frame& frame) {
  std::string out;
  for (const ChartMark& mark : chart.marks) {
    const double left = frame.X(mark.first);
    // Wide enough to be seen.
    const double width = std::max(frame.X(mark.last) - left, 2.5);
    out += Cat("<rect class=\"mark ",
               Escaped(mark.css),
               "\" x=\"",
               Number(left - (width == 2.5 ? 1.25 : 0)),
               "\" y=\"0\" width=\"",
               Number(width),
               "\" height=\"300\"><title>",
               Escaped(mark.text),
               "</title></rect>");
  }
  return out;
}

std::string Grid(const Frame& frame) {
  std::string out;
  for (const double tick : frame.y.ticks()) {
    const std::string y = Number(frame.Y(tick));
    out += Cat("<path class=\"grid\" d=\"M0 ", y, "H1000\"/>");
  }
  return out;
}

std::string Labels(const Chart& chart, const Frame& frame) {
  std::string out = "<div class=\"ys\" aria-hidden=\"true\">";
  for (const double tick : frame.y.ticks()) {
    out += Cat("<span style=\"top:",
               Number(100 * (1 - frame.y.Place(tick))),
               "%\">",
               Axis::Label(tick),
               "</span>");
  }
  out += "</div><div class=\"xs\" aria-hidden=\"true\">";
  for (const double tick : frame.x.ticks()) {
    out += Cat("<span style=\"left:",
               Number(100 * frame.x.Place(tick)),
               "%\">",
               Axis::Label(tick),
               "</span>");
  }
  return out + Cat("<b>", Escaped(chart.x_name), "</b></div>");
}

std::string Legend(const Chart& chart) {
  if (chart.lines.size() < 2) return "";
  std::string out = "<div class=\"legend\">";
  for (const ChartLine& line : chart.lines) {
    out += Cat("<span><i class=\"",
               line.css,
               "\"></i>",
               Escaped(line.name),
               "</span>");
  }
  return out + "</div>";
}

// What the page's script shows at the pointer.
std::string Hover(const Chart& chart, const Frame& frame) {
  Json lines = Json::Array();
  for (const ChartLine& line : chart.lines) {
    Json points = Json::Array();
    const std::size_t every =
        std::max<std::size_t>(1, line.x.size() / kHovered);
    for (std::size_t i = 0; i < line.x.size(); i += every) {
      // Of each group the one that lies farthest out.
      std::size_t at = i;
      for (std::size_t j = i; j < std::min(line.x.size(), i + every); ++j) {
        if (!(line.y[j] <= line.y[at])) at = j;
      }
      points.Append(
          Json::Array({std::round(frame.x.Place(line.x[at]) * 1e4) / 1e4,
                       Axis::Label(line.x[at]),
                       NumberText(line.y[at])}));
    }
    lines.Append(Json::Object({{"name", line.name}, {"points", points}}));
  }
  // Nothing in a script element may look like its end.
  std::string text = lines.Dump();
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    text.replace(at, 1, "\\u003c");
  }
  return Cat("<script type=\"application/json\">", text, "</script>");
}

}  // namespace

std::string Render(const Chart& chart) {
  Range x;
  for (const ChartLine& line : chart.lines) {
    for (const double value : line.x) x.Add(value);
  }
  const bool log = chart.log_y && AllPositive(chart);
  const Range y = RangeOfY(chart, log);
  if (x.empty() || y.empty()) return "";
  const Frame frame = {
      Axis::Exact(x.low, x.high),
      log ? Axis::Log(y.low, y.high) : Axis::Linear(y.low, y.high)};
  std::string out = Cat("<figure class=\"chart\"><figcaption><b>",
                        Escaped(chart.title),
                        "</b> ",
                        Escaped(chart.unit),
                        log ? " (log scale)" : "",
                        Legend(chart),
                        "</figcaption><div class=\"plot\">");
  out +=
      Cat("<svg viewBox=\"0 0 1000 300\" preserveAspectRatio=\"none\" "
          "role=\"img\" aria-label=\"",
          Escaped(Cat(chart.title, ". ", chart.summary)),
          "\">");
  out += Grid(frame) + Marks(chart, frame);
  for (const ChartLine& line : chart.lines) out += PathOf(line, frame);
  out += BadPoints(chart, frame) + "</svg>" + Labels(chart, frame);
  out += Cat("<div class=\"tip\" hidden></div>", Hover(chart, frame), "</div>");
  if (!chart.summary.empty()) {
    out += Cat("<p class=\"small\">", Escaped(chart.summary), "</p>");
  }
  return out + "</figure>\n";
}

}  // namespace gyre::internal::inline monitor

#include "gyre/monitor/report/heat_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gyre/core/finite.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::size_t kColumns = 160;
constexpr std::size_t kRows = 200;  // of more, the first are shown
constexpr double kDecades = 2;      // of the colours, each way

double MedianOfRow(const HeatRow& row) {
  std::vector<double> finite;
  for (const double y : row.y) {
    if (IsFinite(y) && y > 0) finite.push_back(y);
  }
  return MedianOf(std::move(finite));
}

// A class from h0 (far below) over h6 (the median) to h12 (far above).
std::string ClassOf(double value, double median) {
  if (!IsFinite(value)) return "hx";
  if (!(value > 0) || !(median > 0)) return "h0";
  const double decades = std::log10(value / median) / kDecades;
  const int level =
      static_cast<int>(std::lround(6 + 6 * std::clamp(decades, -1.0, 1.0)));
  return Cat("h", level);
}

// The largest of [first, last); NaN counts as larger than any.
double Largest(const HeatRow& row, std::size_t first, std::size_t last) {
  double largest = row.y[first];
  for (std::size_t i = first; i < last; ++i) {
    if (!IsFinite(row.y[i])) return row.y[i];
    largest = std::max(largest, row.y[i]);
  }
  return largest;
}

std::string Cells(const HeatRow& row) {
  const double median = MedianOfRow(row);
  const std::size_t n = row.y.size();
  const std::size_t columns = std::min(n, kColumns);
  std::string out = Cat("<svg viewBox=\"0 0 ",
                        columns,
                        " 1\" preserveAspectRatio=\"none\" role=\"img\" "
                        "aria-label=\"",
                        Escaped(row.name),
                        ": median ",
                        NumberText(median),
                        "\">");
  // Neighbours of one colour are one rectangle.
  std::string css;
  std::size_t start = 0;
  const auto flush = [&](std::size_t end) {
    if (end == start) return;
    out += Cat("<rect class=\"",
               css,
               "\" x=\"",
               start,
               "\" width=\"",
               end - start,
               "\" height=\"1\"/>");
  };
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string next =
        ClassOf(Largest(row, n * c / columns, n * (c + 1) / columns), median);
    if (next == css) continue;
    flush(c);
    css = next;
    start = c;
  }
  flush(columns);
  return out + "</svg>";
}

}  // namespace

std::string Render(const HeatMap& map) {
  std::string out = Cat("<figure class=\"heat\"><figcaption><b>",
                        Escaped(map.title),
                        "</b></figcaption>\n");
  std::size_t shown = 0;
  for (const HeatRow& row : map.rows) {
    if (row.y.empty()) continue;
    if (++shown > kRows) break;
    out += Cat("<div><span title=\"",
               Escaped(row.name),
               "\">",
               Escaped(row.name),
               "</span>",
               Cells(row),
               "</div>\n");
  }
  if (shown == 0) return "";
  return out + Cat("<p class=\"small\">",
                   std::min(shown, kRows),
                   " of ",
                   map.rows.size(),
                   " rows. Colour: value over the row's median, from 1/100 "
                   "<span class=\"ramp\"></span> to 100 times; black: not "
                   "finite.</p></figure>\n");
}

}  // namespace gyre::internal::inline monitor

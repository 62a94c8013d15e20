// Maps of numbers on a grid of latitude and longitude, from maps.json:
//
//   {"maps": [{"title": "p: RMSE of the model", "unit": "Pa",
//              "lat": [20, 22.5, ...], "lon": [...],
//              "values": [row by row of lat, null where there is none]}]}
//
// Numbers of both signs are coloured about 0, others from 0 on; maps of one
// unit and kind share the scale, so that they can be compared.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gyre/core/finite.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::int64_t kMostCells = 40000;  // of a map that is drawn

struct GridMap {
  std::string title;
  std::string unit;
  std::vector<double> lat;
  std::vector<double> lon;
  std::vector<std::optional<double>> values;
  bool both_signs = false;
  double largest = 0;
};

std::vector<double> Numbers(const Json* array) {
  std::vector<double> numbers;
  if (array == nullptr || !array->is_array()) return numbers;
  for (const Json& element : array->elements()) {
    numbers.push_back(element.AsDouble().value_or(0));
  }
  return numbers;
}

std::optional<GridMap> MapFrom(const Json& json) {
  GridMap map;
  map.title = TextIn(json, "title");
  map.unit = TextIn(json, "unit");
  map.lat = Numbers(json.Find("lat"));
  map.lon = Numbers(json.Find("lon"));
  const Json* values = json.Find("values");
  const std::size_t cells = map.lat.size() * map.lon.size();
  if (values == nullptr || !values->is_array() || cells == 0 ||
      cells > kMostCells || values->elements().size() != cells) {
    return std::nullopt;
  }
  for (const Json& element : values->elements()) {
    const auto number = element.AsDouble();
    map.values.push_back(number.ok() ? std::optional<double>(*number)
                                     : std::nullopt);
    if (!number.ok() || !IsFinite(*number)) continue;
    map.both_signs = map.both_signs || *number < 0;
    map.largest = std::max(map.largest, std::abs(*number));
  }
  return map;
}

// h0 to h12 of the page's style: h6 is 0.
std::string ClassOf(std::optional<double> value, double largest) {
  if (!value.has_value()) return "";
  if (!IsFinite(*value)) return "hx";
  const double part = largest > 0 ? *value / largest : 0;
  return Cat(
      "h", static_cast<int>(std::lround(6 + 6 * std::clamp(part, -1.0, 1.0))));
}

// North up: rows from the largest latitude to the smallest, each `high` tall
// where a column is 1 wide.
std::string Cells(const GridMap& map, double largest) {
  const std::size_t columns = map.lon.size();
  const std::size_t rows = map.lat.size();
  const bool falling = rows > 1 && map.lat[0] > map.lat[1];
  std::string out;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = falling ? r : rows - 1 - r;
    std::string css;
    std::size_t start = 0;
    const auto flush = [&](std::size_t end) {
      if (end == start || css.empty()) return;
      out += Cat("<rect class=\"",
                 css,
                 "\" x=\"",
                 start,
                 "\" y=\"",
                 r,
                 "\" width=\"",
                 end - start,
                 "\" height=\"1\"/>");
    };
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string next = ClassOf(map.values[row * columns + c], largest);
      if (next == css) continue;
      flush(c);
      css = next;
      start = c;
    }
    flush(columns);
  }
  return out;
}

std::string Degrees(double value, const char* above, const char* below) {
  return Cat(NumberText(std::abs(value)), value < 0 ? below : above);
}

std::string Draw(const GridMap& map, double largest) {
  const auto [south, north] =
      std::minmax_element(map.lat.begin(), map.lat.end());
  const std::string area =
      Cat(Degrees(*south, "N", "S"),
          " to ",
          Degrees(*north, "N", "S"),
          ", ",
          Degrees(std::remainder(map.lon.front(), 360), "E", "W"),
          " to ",
          Degrees(std::remainder(map.lon.back(), 360), "E", "W"));
  return Cat("<figure><figcaption><b>",
             Escaped(map.title),
             "</b> <span class=\"small\">",
             map.both_signs ? NumberText(-largest) : "0",
             " <span class=\"",
             map.both_signs ? "ramp" : "ramp half",
             "\"></span> ",
             NumberText(largest),
             " ",
             Escaped(map.unit),
             "</span></figcaption>\n<svg viewBox=\"0 0 ",
             map.lon.size(),
             " ",
             map.lat.size(),
             "\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" "
             "role=\"img\" aria-label=\"",
             Escaped(Cat("map of ", map.title, ", ", area)),
             "\">",
             Cells(map, largest),
             "</svg><p class=\"small\">",
             area,
             "; north is up.</p></figure>\n");
}

}  // namespace

std::string MapSection(const ReportInput& input) {
  const Json* list = input.records.maps.Find("maps");
  if (list == nullptr || !list->is_array()) return "";
  std::vector<GridMap> maps;
  std::map<std::pair<std::string, bool>, double> largest;
  for (const Json& json : list->elements()) {
    auto map = MapFrom(json);
    if (!map.has_value()) continue;
    double& scale = largest[{map->unit, map->both_signs}];
    scale = std::max(scale, map->largest);
    maps.push_back(*std::move(map));
  }
  if (maps.empty()) return "";
  std::string out = "<div class=\"maps\">\n";
  for (const GridMap& map : maps) {
    out += Draw(map, largest[{map.unit, map.both_signs}]);
  }
  return out + "</div>\n";
}

}  // namespace gyre::internal::inline monitor

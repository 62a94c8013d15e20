// What the application says of its result. An object of numbers in
// summary.json is a table or bars; "skill" and "skill_vs_mean" are drawn
// together, since a forecast has to beat both.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gyre/core/finite.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline monitor {
namespace {

struct Bar {
  double left = 0;
  double width = 0;
};

// Of an axis from -1 to 1: skill has no lower end, and is cut off there.
Bar Place(double skill) {
  const double value = std::clamp(skill, -1.0, 1.0);
  return {50 + 50 * std::min(value, 0.0), 50 * std::abs(value)};
}

std::string BarHtml(double skill, const char* css) {
  const Bar bar = Place(skill);
  char text[96];
  std::snprintf(text,
                sizeof text,
                "<i class=\"%s\" style=\"left:%.1f%%;width:%.1f%%\"></i>",
                css,
                bar.left,
                bar.width);
  return text;
}

std::string SkillBars(const Json& persistence, const Json* mean) {
  std::string out =
      "<p>Skill is 1 - MSE / MSE of a reference: 1 is perfect, 0 no better "
      "than the reference, below 0 worse.</p>\n<div class=\"legend\"><span>"
      "<i class=\"c1\"></i>against persistence</span>";
  if (mean != nullptr) {
    out += "<span><i class=\"c2\"></i>against the training mean</span>";
  }
  out += "</div>\n<div class=\"bars\">\n";
  for (const auto& [name, value] : persistence.members()) {
    const auto skill = value.AsDouble();
    std::string bars;
    std::string numbers = "n/a";
    if (skill.ok() && IsFinite(*skill)) bars += BarHtml(*skill, "c1");
    if (skill.ok()) numbers = NumberText(std::round(*skill * 1000) / 1000);
    const auto other = mean == nullptr ? std::nullopt : NumberIn(*mean, name);
    if (other.has_value() && IsFinite(*other)) {
      bars += BarHtml(*other, "c2 b2");
      numbers += Cat("<br>", NumberText(std::round(*other * 1000) / 1000));
    }
    out += Cat("<span>",
               Escaped(name),
               "</span><span class=\"bar\">",
               bars,
               "<u style=\"left:50%\"></u></span><span class=\"r small\">",
               numbers,
               "</span>\n");
  }
  return out + "</div>\n";
}

// {"p": {"model": 1, "persistence": 2}, ...} as rows and columns; or
// {"bias_hpa": 1} as one row.
std::string ObjectTable(const std::string& title, const Json& object) {
  std::vector<std::string> header = {""};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : object.members()) {
    std::vector<std::string> row = {Escaped(name)};
    if (!value.is_object()) {
      const auto number = value.AsDouble();
      row.push_back(number.ok() ? NumberText(*number) : Escaped(value.Dump()));
      if (header.size() < 2) header.push_back("value");
      rows.push_back(std::move(row));
      continue;
    }
    for (const auto& [column, cell] : value.members()) {
      if (std::find(header.begin(), header.end(), column) == header.end()) {
        header.push_back(column);
      }
      const auto number = cell.AsDouble();
      row.push_back(number.ok() ? NumberText(*number) : Escaped(cell.Dump()));
    }
    rows.push_back(std::move(row));
  }
  return Table(header, rows, "lrrrrrr", title);
}

bool HasNumbers(const Json& object) {
  for (const auto& [key, value] : object.members()) {
    if (value.is_object() ? HasNumbers(value) : value.is_number()) return true;
  }
  return false;
}

}  // namespace

std::string SkillSection(const ReportInput& input) {
  const Json& summary = input.records.summary;
  std::string out;
  const Json* skill = summary.Find("skill");
  if (skill != nullptr && skill->is_object()) {
    out += SkillBars(*skill, summary.Find("skill_vs_mean"));
  }
  for (const auto& [key, value] : summary.members()) {
    if (key == "skill" || key == "skill_vs_mean" || key == "first_skip") {
      continue;
    }
    if (value.is_object() && HasNumbers(value)) out += ObjectTable(key, value);
  }
  return out;
}

}  // namespace gyre::internal::inline monitor

#include <algorithm>
#include <cstdio>

#include "gyre/data/cf/inspect_file.h"

namespace gyre::internal::inline data {
namespace {

// As wide as `width`, and a blank.
std::string Column(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

std::string TextOf(const Json& json, std::string_view key) {
  return json.GetString(key).value_or("");
}

std::string NumberOf(const Json& json, std::string_view key) {
  const StatusOr<double> number = json.GetDouble(key);
  if (!number.ok()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *number);
  return text;
}

std::string DimsOf(const Json& variable) {
  std::string text;
  const Json* dims = variable.Find("dims");
  for (const Json& dim :
       dims == nullptr ? Json::Elements() : dims->elements()) {
    text += (text.empty() ? "" : ", ") + dim.AsString().value_or("");
  }
  return "(" + text + ")";
}

std::string AxisLine(const Json& axis) {
  std::string line = "  " + Column(TextOf(axis, "name"), 12) +
                     Column(NumberOf(axis, "size"), 6);
  const std::string kind = TextOf(axis, "kind");
  line += Column(kind, 10);
  if (kind == "time") {
    line += TextOf(axis, "first") + " to " + TextOf(axis, "last");
    const StatusOr<double> step = axis.GetDouble("step");
    if (step.ok()) line += Cat(", every ", *step / 3600, " h");
    if (!step.ok()) line += ", at uneven distances";
    line += ", " + TextOf(axis, "calendar") + " calendar";
  } else if (kind == "refused") {
    line += TextOf(axis, "refused");
  } else {
    line += NumberOf(axis, "first") + " to " + NumberOf(axis, "last");
    if (axis.GetDouble("step").ok())
      line += ", every " + NumberOf(axis, "step");
    if (!TextOf(axis, "units").empty()) line += " " + TextOf(axis, "units");
  }
  line += "\n";
  if (!TextOf(axis, "note").empty()) {
    line += "    Gyre: " + TextOf(axis, "note") + "\n";
  }
  return line;
}

std::string MissingLine(const Json& variable) {
  const double missing = variable.GetDouble("missing").value_or(0);
  const double all = missing + variable.GetDouble("valid").value_or(0);
  if (missing == 0 || all == 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.1f%% missing", 100 * missing / all);
  std::string line = Cat("    ", text);
  if (variable.GetInt("outside_range").value_or(0) > 0) {
    line += ", " + NumberOf(variable, "outside_range") +
            " of them outside of the valid range";
  }
  if (variable.GetInt("undeclared_nan").value_or(0) > 0) {
    line += ", " + NumberOf(variable, "undeclared_nan") +
            " of them NaN that no attribute declares";
  }
  const Json* empty = variable.Find("empty_times");
  if (empty != nullptr && !empty->elements().empty()) {
    line += ", wholly at position";
    for (const Json& position : empty->elements()) {
      line += " " + position.Dump();
      if (line.size() > 120) break;
    }
  }
  return line + "\n";
}

std::string VariableLines(const Json& variable) {
  std::string text = "  " + Column(TextOf(variable, "name"), 12) +
                     Column(DimsOf(variable), 24) +
                     Column(TextOf(variable, "type"), 5);
  if (variable.Find("min") != nullptr) {
    text += NumberOf(variable, "min") + " to " + NumberOf(variable, "max") +
            ", mean " + NumberOf(variable, "mean") + " ";
  }
  text += TextOf(variable, "units") + "\n";
  text += MissingLine(variable);
  const Json* notes = variable.Find("notes");
  for (const Json& note :
       notes == nullptr ? Json::Elements() : notes->elements()) {
    text += "    Gyre: " + note.AsString().value_or("") + "\n";
  }
  if (const std::string refused = TextOf(variable, "refused");
      !refused.empty()) {
    text += "    refused: " + refused + "\n";
  }
  return text;
}

}  // namespace

std::string FileInWords(const Json& inspected) {
  std::string text =
      TextOf(inspected, "file") + ": " + TextOf(inspected, "format") + "\n";
  if (!TextOf(inspected, "title").empty()) {
    text += "  " + TextOf(inspected, "title") + "\n";
  }
  text += "\naxes\n";
  for (const Json& axis : inspected.Find("axes")->elements()) {
    text += AxisLine(axis);
  }
  text += "\nvariables (as stored and unpacked)\n";
  for (const Json& variable : inspected.Find("variables")->elements()) {
    text += VariableLines(variable);
  }
  return text;
}

}  // namespace gyre::internal::inline data

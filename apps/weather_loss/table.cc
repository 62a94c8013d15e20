#include "apps/weather_loss/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "apps/weather_loss/fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

std::string Format(const char* format, double value) {
  // printf would write a NaN with its sign: "-nan".
  if (std::isnan(value)) value = std::abs(value);
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// A number in a column of ten, or "n/a".
std::string Cell(const std::optional<double>& value, const char* format) {
  return value.has_value() ? Format(format, *value) : std::string("       n/a");
}

std::string Padded(std::string_view text, std::size_t width) {
  std::string padded(std::max(text.size(), width), ' ');
  text.copy(padded.data(), text.size());
  return padded;
}

std::string Plain(const Json* value) {
  if (value == nullptr || value->is_null()) return "none";
  return value->is_string() ? *value->AsString() : value->Dump();
}

std::string Row(const char* name, std::string value) {
  return Cat("  ", Padded(name, 20), std::move(value), "\n");
}

std::string FirstSkip(const Json& summary) {
  const Json* skip = summary.Find("first_skip");
  if (skip == nullptr || skip->is_null()) return "none";
  return Cat("step ",
             Plain(skip->Find("step")),
             ", ranks ",
             Plain(skip->Find("ranks")),
             ", tensors ",
             Plain(skip->Find("tensors")),
             ", samples ",
             Plain(skip->Find("sample_names")));
}

std::string RunRows(const Json& s) {
  const auto get = [&s](const char* key) { return Plain(s.Find(key)); };
  return Row("loss", get("loss")) +
         Row("guard",
             get("guard") + (get("unguarded") == "true"
                                 ? "  (UNGUARDED: do not trust this "
                                   "run)"
                                 : "")) +
         Row("steps",
             Cat(get("attempted"),
                 " attempted, ",
                 get("applied"),
                 " applied, ",
                 get("skipped"),
                 " skipped")) +
         Row("first skip", FirstSkip(s)) +
         Row("parameters",
             Cat(get("params_finite") == "true" ? "all finite" : "NOT FINITE",
                 ", hash ",
                 get("param_hash"),
                 get("hashes_equal") == "true" ? ", equal on all ranks"
                                               : ", DIFFERENT between ranks")) +
         Row("world",
             Cat(get("world"),
                 " ranks (",
                 get("mesh"),
                 ", ",
                 get("collectives"),
                 "), plans compiled: ",
                 get("plans")));
}

std::string TimeRow(const Json& s) {
  const auto number = [&s](const char* key) {
    return s.GetDouble(key).value_or(0);
  };
  return Row("time",
             Format("%.1f s", number("wall_s")) +
                 Format(", first step %.0f ms", number("first_step_s") * 1e3) +
                 Format(", then %.0f steps/s", number("steps_per_s")));
}

std::string SkillRows(const SkillReport& report) {
  std::string text = "  field      RMSE now    model      skill  vs mean\n";
  for (int c = 0; c < kChannels; ++c) {
    const ChannelSkill& s = report.channels[c];
    text += Cat("  ",
                Padded(std::string(kChannelNames[c]), 8),
                Format("%10.2f", s.rmse_persistence),
                Format("%9.2f ", s.rmse),
                Padded(std::string(kChannelUnits[c]), 4),
                Cell(s.skill, "%6.2f"),
                Cell(s.skill_vs_mean, "%9.2f"),
                "\n");
  }
  return text;
}

std::string StormRows(const SkillReport& report) {
  const auto row = [](const char* name, const StormError& e) {
    return Cat("  ",
               Padded(name, 14),
               Cell(e.bias_hpa, "%8.2f"),
               Cell(e.rmse_hpa, "%8.2f"),
               "\n");
  };
  return Cat("  storm depth, hPa  bias    RMSE  (",
             report.storm_cells,
             " cells deeper than 20 hPa)\n") +
         row("persistence", report.storm_persistence) +
         row("model", report.storm);
}

}  // namespace

std::string SummaryTable(const Json& summary, const SkillReport& skill) {
  return "\nweather_loss\n" + RunRows(summary) + TimeRow(summary) +
         Cat("\n",
             summary.GetInt("lead_hours").value_or(0),
             "-hour forecasts of the test days (skill: 1 - MSE / MSE of the "
             "reference)\n") +
         SkillRows(skill) + "\n" + StormRows(skill);
}

}  // namespace gyre::weather

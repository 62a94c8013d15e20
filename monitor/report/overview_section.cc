// The head of the report, and its foot: what the run was.

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline monitor {
namespace {

std::string Tile(const std::string& name, const std::string& value) {
  if (value.empty()) return "";
  return Cat("<div><b>", Escaped(value), "</b><span>", name, "</span></div>\n");
}

std::string NumberTile(const std::string& name,
                       const std::optional<double>& value) {
  return value.has_value() ? Tile(name, NumberText(*value)) : "";
}

std::string Warning(const std::string& text) {
  return Cat("<p class=\"warn\" role=\"note\">", Escaped(text), "</p>\n");
}

bool IsTrue(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsBool().value_or(false);
}

bool IsFalse(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && !value->AsBool().value_or(true);
}

std::string Warnings(const RunRecords& records) {
  std::string out;
  if (IsTrue(records.run, "unguarded")) {
    out += Warning(
        "This run was unguarded: bad numbers could get into its parameters, "
        "and none of its checkpoints is called good.");
  }
  if (const Json* rewind = records.run.Find("rewind")) {
    out += Warning(
        Cat("This run goes on from ",
            TextIn(*rewind, "original"),
            ", from before step ",
            TextIn(*rewind, "step"),
            ", with something changed: its curves and those of that run are "
            "not strictly comparable from there on."));
  }
  if (records.summary.is_null()) {
    out += Warning("The run has no summary: it goes on, or it failed.");
  }
  if (IsFalse(records.summary, "hashes_equal")) {
    out += Warning("The ranks ended with different parameters.");
  }
  if (IsFalse(records.summary, "params_finite")) {
    out += Warning("The parameters hold numbers that are not finite.");
  }
  for (const std::string& note : records.notes) out += Warning(note);
  return out;
}

std::optional<double> LastOf(const RunRecords& records, std::string_view key) {
  if (records.metrics.empty()) return std::nullopt;
  return NumberIn(records.metrics.back(), key);
}

}  // namespace

std::string OverviewSection(const ReportInput& input) {
  const RunRecords& records = input.records;
  std::string out = "<div class=\"tiles\">\n";
  out += Tile("steps recorded", Cat(records.metrics.size()));
  out += NumberTile("last loss", LastOf(records, "loss"));
  out += NumberTile("steps skipped", LastOf(records, "skipped"));
  out += Tile("spikes", Cat(input.spikes.size()));
  out += Tile("ranks", Cat(records.world()));
  out += Tile("mesh", TextIn(records.run, "mesh"));
  out += Tile("collectives", TextIn(records.run, "collectives"));
  out += Tile("guard", TextIn(records.summary, "guard"));
  out += NumberTile("steps/s", NumberIn(records.summary, "steps_per_s"));
  out += NumberTile("plans compiled", NumberIn(records.summary, "plans"));
  return out + "</div>\n" + Warnings(records);
}

std::string SettingsSection(const ReportInput& input) {
  const RunRecords& records = input.records;
  std::string out;
  if (!records.checkpoints.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const CheckpointRecord& checkpoint : records.checkpoints) {
      rows.push_back({Escaped(checkpoint.name),
                      Escaped(TextIn(checkpoint.manifest, "good")),
                      Cat("<code>",
                          Escaped(TextIn(checkpoint.manifest, "params_hash")),
                          "</code>")});
    }
    out += Table({"checkpoint", "good", "hash of the parameters"},
                 rows,
                 "lll",
                 "Checkpoints");
  }
  for (const auto& [name, json] :
       {std::pair<const char*, const Json&>{"run.json", records.run},
        {"summary.json", records.summary}}) {
    if (json.is_null()) continue;
    out += Cat("<details><summary>",
               name,
               "</summary><pre tabindex=\"0\">",
               Escaped(json.Pretty()),
               "</pre></details>\n");
  }
  return out;
}

}  // namespace gyre::internal::inline monitor

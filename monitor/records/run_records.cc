#include "gyre/monitor/records/run_records.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gyre/core/io/file.h"

namespace gyre::internal::inline monitor {
namespace {

std::string Short(const std::string& text) {
  return text.size() > 300 ? text.substr(0, 300) + "..." : text;
}

// Every line that is an object; the others are counted in a note.
std::vector<Json> ReadLines(const std::string& path, RunRecords& records) {
  std::vector<Json> lines;
  const auto text = ReadFile(path);
  if (!text.ok()) {
    records.notes.push_back(Short(Message(text.status())));
    return lines;
  }
  std::size_t spoilt = 0;
  for (std::size_t start = 0; start < text->size();) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    const std::string_view line(text->data() + start, end - start);
    start = end + 1;
    if (line.empty()) continue;
    auto json = Json::Parse(line);
    if (json.ok() && json->is_object()) {
      lines.push_back(*std::move(json));
    } else {
      ++spoilt;
    }
  }
  if (spoilt > 0) {
    records.notes.push_back(
        Cat(path, ": ", spoilt, " line(s) could not be read"));
  }
  return lines;
}

Json ReadObject(const std::string& path, bool needed, RunRecords& records) {
  if (!needed && !FileExists(path)) return Json();
  const auto text = ReadFile(path);
  auto json =
      text.ok() ? Json::Parse(*text, path) : StatusOr<Json>(text.status());
  if (json.ok()) return *std::move(json);
  records.notes.push_back(Short(Message(json.status())));
  return Json();
}

std::vector<std::string> Names(const std::string& folder) {
  auto names = ListDirectory(folder);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

void ReadEventLines(const std::string& path, RunRecords& records) {
  std::size_t spoilt = 0;
  for (const Json& line : ReadLines(path, records)) {
    auto event = EventFromJson(line);
    if (event.ok()) {
      records.events.push_back(*std::move(event));
    } else {
      ++spoilt;
    }
  }
  if (spoilt > 0) {
    records.notes.push_back(Cat(path, ": ", spoilt, " line(s) are no event"));
  }
}

void ReadRanks(const std::string& folder, RunRecords& records) {
  for (const std::string& name : Names(folder)) {
    char* end = nullptr;
    const long rank = std::strtol(name.c_str(), &end, 10);
    if (end == name.c_str() || std::string_view(end) != ".jsonl") continue;
    records.ranks[static_cast<int>(rank)] =
        ReadLines(folder + "/" + name, records);
  }
}

void ReadCheckpoints(const std::string& folder, RunRecords& records) {
  for (const std::string& name : Names(folder)) {
    if (name.substr(0, 5) != "step-") continue;
    const std::string manifest = folder + "/" + name + "/manifest.json";
    if (!FileExists(manifest)) {
      records.notes.push_back(
          Cat(folder, "/", name, " has no manifest: it was never finished"));
      continue;
    }
    records.checkpoints.push_back({name, ReadObject(manifest, true, records)});
  }
}

}  // namespace

int RunRecords::world() const {
  if (const auto size = NumberIn(run, "world")) return static_cast<int>(*size);
  return ranks.empty() ? 1 : ranks.rbegin()->first + 1;
}

std::vector<Event> RunRecords::EventsOf(std::string_view kind) const {
  std::vector<Event> found;
  for (const Event& event : events) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

StatusOr<RunRecords> ReadRunRecords(const std::string& path) {
  RunRecords records;
  records.path = path;
  const bool some = FileExists(path + "/run.json") ||
                    FileExists(path + "/metrics.jsonl") ||
                    FileExists(path + "/events.jsonl");
  if (!some) {
    return DataError(path,
                     " is no run directory: expected run.json, metrics.jsonl "
                     "or events.jsonl in it");
  }
  records.run = ReadObject(path + "/run.json", true, records);
  records.summary = ReadObject(path + "/summary.json", false, records);
  records.maps = ReadObject(path + "/maps.json", false, records);
  records.metrics = ReadLines(path + "/metrics.jsonl", records);
  ReadEventLines(path + "/events.jsonl", records);
  ReadRanks(path + "/ranks", records);
  ReadCheckpoints(path + "/checkpoints", records);
  for (const std::string& name : Names(path + "/evidence")) {
    const std::string cause = path + "/evidence/" + name + "/cause.json";
    if (!FileExists(cause)) continue;
    records.causes.push_back(ReadObject(cause, true, records));
  }
  return records;
}

std::optional<double> NumberIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->AsDouble();
  return number.ok() ? std::optional<double>(*number) : std::nullopt;
}

std::string TextIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  if (value == nullptr) return "";
  const auto text = value->AsString();
  return text.ok() ? *text : value->Dump();
}

Trace TraceOf(const RunRecords& records) {
  Trace trace;
  for (const Json& record : records.metrics) {
    const auto step = NumberIn(record, "step");
    if (!step.has_value()) continue;
    TraceRow row;
    row.step = static_cast<std::int64_t>(*step);
    row.loss = NumberIn(record, "loss");
    row.grad_norm = NumberIn(record, "grad_norm");
    row.eval_loss = NumberIn(record, "eval_loss");
    row.lr = NumberIn(record, "lr");
    const Json* applied = record.Find("applied");
    row.accepted = applied == nullptr || applied->AsBool().value_or(true);
    trace.rows.push_back(row);
  }
  return trace;
}

}  // namespace gyre::internal::inline monitor

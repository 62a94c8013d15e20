#include "gyre/monitor/records/run_records.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
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

// The run whose checkpoint the event names, where it is another; "": none is
// there. A folder of runs may have moved as a whole.
std::string ParentOf(const Event& resume, const std::string& run) {
  const std::string from = TextIn(resume.fields, "from");
  const std::size_t at = from.rfind("/checkpoints/");
  if (at == std::string::npos) return "";
  const std::string parent = from.substr(0, at);
  const std::size_t own = run.find_last_not_of('/') + 1;
  const std::size_t folder = run.substr(0, own).rfind('/');
  const std::string name = parent.substr(parent.rfind('/') + 1);
  const std::string beside =
      folder == std::string::npos ? name : run.substr(0, folder + 1) + name;
  for (const std::string& path : {parent, beside}) {
    if (!FileExists(path + "/metrics.jsonl")) continue;
    std::error_code error;
    return std::filesystem::equivalent(path, run, error) ? "" : path;
  }
  return "";
}

std::int64_t StepOf(const Json& line) {
  return static_cast<std::int64_t>(NumberIn(line, "step").value_or(-1));
}

// The steps before `first` of the runs behind `records`, oldest first.
std::vector<Json> StepsBefore(const RunRecords& records,
                              std::int64_t first,
                              int depth) {
  constexpr int kDeepest = 8;
  const std::vector<Event> resumes = records.EventsOf(event_kind::kResume);
  if (resumes.empty() || first <= 0 || depth > kDeepest) return {};
  const std::string path = ParentOf(resumes.front(), records.path);
  if (path.empty()) return {};
  RunRecords parent;
  parent.path = path;
  parent.metrics = ReadLines(path + "/metrics.jsonl", parent);
  ReadEventLines(path + "/events.jsonl", parent);
  std::vector<Json> lines;
  if (!parent.metrics.empty()) {
    lines = StepsBefore(
        parent, std::min(first, StepOf(parent.metrics.front())), depth + 1);
  }
  for (Json& line : parent.metrics) {
    if (StepOf(line) < first) lines.push_back(std::move(line));
  }
  return lines;
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
  if (!records.metrics.empty()) {
    records.before = StepsBefore(records, StepOf(records.metrics.front()), 0);
  }
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
  for (const auto* lines : {&records.before, &records.metrics}) {
    for (const Json& record : *lines) {
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
  }
  return trace;
}

}  // namespace gyre::internal::inline monitor

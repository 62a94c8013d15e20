#include "gyre/monitor/abandoned_steps.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/buffered_lines.h"
#include "gyre/monitor/event.h"

namespace gyre::internal::inline monitor {
namespace {

// Of a run, not of a step.
bool IsOfTheRun(const Json& line) {
  const auto kind = line.GetString("kind");
  if (!kind.ok()) return false;
  for (const std::string_view kept : {event_kind::kStart,
                                      event_kind::kEnd,
                                      event_kind::kResume,
                                      event_kind::kRewind,
                                      event_kind::kStop,
                                      event_kind::kError}) {
    if (*kind == kept) return true;
  }
  return false;
}

bool IsAbandoned(std::string_view text, std::int64_t first) {
  const StatusOr<Json> line = Json::Parse(text, "a record");
  if (!line.ok() || !line->is_object()) return true;
  const auto step = line->GetInt("step");
  return step.ok() && *step >= first && !IsOfTheRun(*line);
}

struct Parts {
  std::string kept;
  std::string abandoned;
};

Parts Split(std::string_view text, std::int64_t first) {
  Parts parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const bool whole = line.back() == '\n';
    std::string& to =
        whole && !IsAbandoned(line, first) ? parts.kept : parts.abandoned;
    to += line;
    if (!whole) to += '\n';
    text.remove_prefix(end);
  }
  return parts;
}

Status SetAsideIn(const std::string& path,
                  const std::string& aside,
                  std::int64_t first) {
  // A device or a pipe in the place of a record cannot be read to its end.
  if (!std::filesystem::is_regular_file(path)) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Parts parts = Split(text, first);
  if (parts.abandoned.empty()) return OkStatus();
  GYRE_RETURN_IF_ERROR(CreateDirectories(aside.substr(0, aside.rfind('/'))));
  GYRE_ASSIGN_OR_RETURN(LineWriter writer, LineWriter::Open(aside));
  GYRE_RETURN_IF_ERROR(writer.WriteBlock(parts.abandoned));
  GYRE_RETURN_IF_ERROR(writer.Close());
  return WriteFileAtomically(path, parts.kept);
}

}  // namespace

Status SetAsideSteps(const RunDirectory& run, std::int64_t first) {
  std::vector<std::string> names = {"metrics.jsonl", "events.jsonl"};
  const std::string ranks = run.path() + "/ranks";
  if (DirectoryExists(ranks)) {
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                          ListDirectory(ranks));
    for (const std::string& name : files) names.push_back("ranks/" + name);
  }
  const std::string folder = Cat(run.path(), "/abandoned/", StepName(first));
  for (const std::string& name : names) {
    GYRE_RETURN_IF_ERROR(
        SetAsideIn(Cat(run.path(), "/", name), Cat(folder, "/", name), first));
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor

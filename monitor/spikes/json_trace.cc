// JSON lines as trace records.

#include <algorithm>

#include "gyre/core/io/json.h"
#include "gyre/monitor/spikes/lenient_number.h"
#include "gyre/monitor/spikes/trace_record.h"

namespace gyre::internal::inline monitor {
namespace {

TraceField JsonField(const std::string& name, const Json& value) {
  TraceField field;
  field.name = name;
  field.null = value.is_null();
  if (value.is_null()) return field;
  if (const auto number = value.AsDouble(); number.ok()) {
    field.number = *number;
    return field;
  }
  const auto text = value.AsString();
  const auto lenient = ParseLenientNumber(text.ok() ? *text : value.Dump());
  field.is_number = lenient.ok();
  if (lenient.ok()) {
    field.number = *lenient;
  } else {
    field.text = text.ok() ? *text : value.Dump();
  }
  return field;
}

bool Blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

const TraceField* TraceRecord::Find(std::string_view name) const {
  for (const TraceField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

StatusOr<TraceRecords> ParseJsonTrace(std::string_view text,
                                      const std::string& what) {
  TraceRecords parsed;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const bool complete = end < text.size();
    start = end + 1;
    ++number;
    if (Blank(line)) continue;
    const auto json =
        Json::Parse(QuoteBareNumbers(line), Cat(what, ":", number));
    if (!json.ok() && !complete && !parsed.records.empty()) {
      parsed.notes.push_back(Cat("the last line (", number, ") was cut off"));
      break;
    }
    GYRE_RETURN_IF_ERROR(json.status());
    if (!json->is_object()) {
      return DataError(what,
                       ":",
                       number,
                       ": expected an object such as {\"step\": 1, "
                       "\"loss\": 0.5}, got ",
                       json->TypeName());
    }
    TraceRecord record;
    record.line = number;
    for (const auto& [name, value] : json->members()) {
      record.fields.push_back(JsonField(name, value));
      if (std::find(parsed.names.begin(), parsed.names.end(), name) ==
          parsed.names.end()) {
        parsed.names.push_back(name);
      }
    }
    parsed.records.push_back(std::move(record));
  }
  return parsed;
}

}  // namespace gyre::internal::inline monitor

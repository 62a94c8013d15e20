// CSV as trace records.

#include <algorithm>

#include "gyre/monitor/spikes/lenient_number.h"
#include "gyre/monitor/spikes/trace_record.h"

namespace gyre::internal::inline monitor {
namespace {

// The most frequent of the three outside of quotes.
char DelimiterOf(std::string_view header) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char c : {',', ';', '\t'}) {
    const auto count = std::count(header.begin(), header.end(), c);
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

std::string Trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A quote within a quoted field is written twice.
std::vector<std::string> Split(std::string_view line, char delimiter) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += c;
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == delimiter && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) field = Trimmed(std::move(field));
  return fields;
}

TraceField CsvField(const std::string& name, const std::string& text) {
  TraceField field;
  field.name = name;
  const auto number = ParseLenientNumber(text);
  field.is_number = number.ok();
  if (number.ok()) {
    field.number = *number;
  } else {
    field.text = text;
  }
  return field;
}

}  // namespace

StatusOr<TraceRecords> ParseCsvTrace(std::string_view text,
                                     const std::string& what) {
  TraceRecords parsed;
  char delimiter = ',';
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (parsed.names.empty()) {
      delimiter = DelimiterOf(line);
      parsed.names = Split(line, delimiter);
      continue;
    }
    const std::vector<std::string> fields = Split(line, delimiter);
    if (fields.size() != parsed.names.size()) {
      return DataError(what,
                       ":",
                       number,
                       ": ",
                       fields.size(),
                       " fields, but the header has ",
                       parsed.names.size());
    }
    TraceRecord record;
    record.line = number;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      record.fields.push_back(CsvField(parsed.names[i], fields[i]));
    }
    parsed.records.push_back(std::move(record));
  }
  return parsed;
}

}  // namespace gyre::internal::inline monitor

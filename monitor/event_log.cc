#include "gyre/monitor/event_log.h"

#include <utility>

#include "gyre/core/clock.h"
#include "gyre/monitor/json_lines.h"

namespace gyre::internal::inline monitor {

StatusOr<EventLog> EventLog::Open(const std::string& path, int rank) {
  GYRE_ASSIGN_OR_RETURN(LineWriter writer, LineWriter::Open(path));
  return EventLog(std::move(writer), rank);
}

Status EventLog::Write(Event event) {
  if (event.time.empty()) event.time = WallClock();
  if (event.rank < 0) event.rank = rank_;
  return writer_.Write(ToJson(event).Dump());
}

StatusOr<std::vector<Event>> ReadEvents(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::vector<Json> lines, ReadJsonLines(path));
  std::vector<Event> events;
  for (const Json& line : lines) {
    StatusOr<Event> event = EventFromJson(line);
    if (!event.ok()) {
      return Annotate(event.status(), Cat(path, ":", events.size() + 1, ": "));
    }
    events.push_back(*std::move(event));
  }
  return events;
}

}  // namespace gyre::internal::inline monitor

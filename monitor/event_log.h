// The events of a run, one line each, kept as they happen.
//
//   GYRE_ASSIGN_OR_RETURN(EventLog log, EventLog::Open(run.events(), rank));
//   GYRE_RETURN_IF_ERROR(log.Write({.step = 412, .kind = "skip"}));
//
// All ranks append to one file: a line is one write, so lines do not mix. An
// event on which the ranks agree is written by rank 0 alone, by convention.

#ifndef GYRE_MONITOR_EVENT_LOG_H_
#define GYRE_MONITOR_EVENT_LOG_H_

#include <string>
#include <vector>

#include "gyre/core/io/line_writer.h"
#include "gyre/monitor/event.h"

namespace gyre::internal::inline monitor {

class EventLog {
 public:
  static StatusOr<EventLog> Open(const std::string& path, int rank);

  // Fills in the time and the rank where the event has none.
  Status Write(Event event);

 private:
  EventLog(LineWriter writer, int rank)
      : writer_(std::move(writer)), rank_(rank) {}

  LineWriter writer_;
  int rank_;
};

// The events of a file in their order. A last line without its end, left by
// a crash, is passed over; any other line that is no event is an error.
StatusOr<std::vector<Event>> ReadEvents(const std::string& path);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_EVENT_LOG_H_

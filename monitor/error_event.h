// What ended a rank, as an event.

#ifndef GYRE_MONITOR_ERROR_EVENT_H_
#define GYRE_MONITOR_ERROR_EVENT_H_

#include <cstdint>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/monitor/event.h"

namespace gyre::internal::inline monitor {

// "config", "data", "peer", "mismatch", "guard", "checkpoint", "internal"
std::string_view NameOf(ErrorKind kind);

// {"kind": "error", "error": "peer", "message": "rank 2 has not ..."}
Event ErrorEvent(const Status& status, std::int64_t step);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_ERROR_EVENT_H_

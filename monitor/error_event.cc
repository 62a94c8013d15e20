#include "gyre/monitor/error_event.h"

namespace gyre::internal::inline monitor {

std::string_view NameOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfig:
      return "config";
    case ErrorKind::kData:
      return "data";
    case ErrorKind::kPeer:
      return "peer";
    case ErrorKind::kMismatch:
      return "mismatch";
    case ErrorKind::kGuard:
      return "guard";
    case ErrorKind::kCheckpoint:
      return "checkpoint";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

Event ErrorEvent(const Status& status, std::int64_t step) {
  return {.step = step,
          .kind = std::string(event_kind::kError),
          .fields = Json::Object({{"error", NameOf(KindOf(status))},
                                  {"message", Message(status)}})};
}

}  // namespace gyre::internal::inline monitor

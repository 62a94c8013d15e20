// Something worth keeping: a skip, a spike, a checkpoint, a restart.
//
//   Event event = {.step = 412, .kind = std::string(event_kind::kSkip)};
//   event.fields.Set("ranks", Json::Array({2}))
//               .Set("tensors", Json::Array({"conv1.weight"}))
//               .Set("samples", Json::Array({"t=017 (1996-01-09T06Z)"}));
//
// In a file it is one line of JSON:
//   {"time":"2026-11-29T17:04:05.123Z","step":412,"rank":0,"kind":"skip",
//    "ranks":[2],...}

#ifndef GYRE_MONITOR_EVENT_H_
#define GYRE_MONITOR_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre {

// The kinds that Gyre itself writes; an application may add its own.
namespace event_kind {
inline constexpr std::string_view kStart = "start";
inline constexpr std::string_view kEnd = "end";
inline constexpr std::string_view kSkip = "skip";
inline constexpr std::string_view kHalt = "halt";
inline constexpr std::string_view kCause = "cause";
inline constexpr std::string_view kCapture = "capture";
inline constexpr std::string_view kObserved = "observed";
inline constexpr std::string_view kRepaired = "repaired";
inline constexpr std::string_view kSpike = "spike";
inline constexpr std::string_view kInjected = "injected";
inline constexpr std::string_view kMachine = "machine";
inline constexpr std::string_view kEmptyMask = "empty_mask";
inline constexpr std::string_view kDesync = "desync";
inline constexpr std::string_view kCheckpoint = "checkpoint";
inline constexpr std::string_view kResume = "resume";
inline constexpr std::string_view kRewind = "rewind";
inline constexpr std::string_view kStop = "stop";
inline constexpr std::string_view kDivergence = "divergence";
inline constexpr std::string_view kError = "error";
}  // namespace event_kind

struct Event {
  std::string time = {};   // set by the log when empty
  std::int64_t step = -1;  // -1: outside the steps
  int rank = -1;           // who wrote it; set by the log when negative
  std::string kind = {};
  Json fields = Json::Object();  // what the kind needs
};

// WARNING 1: "time", "step", "rank" and "kind" are not free as field names;
// a field of such a name is a fault of the program.
Json ToJson(const Event& event);
StatusOr<Event> EventFromJson(const Json& json);

}  // namespace gyre

#endif  // GYRE_MONITOR_EVENT_H_

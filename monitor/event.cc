#include "gyre/monitor/event.h"

#include "gyre/core/check.h"

namespace gyre {

using namespace internal;

Json ToJson(const Event& event) {
  Json json = Json::Object({{"time", event.time},
                            {"step", event.step},
                            {"rank", event.rank},
                            {"kind", event.kind}});
  for (const auto& [key, value] : event.fields.members()) {
    GYRE_CHECK(json.Find(key) == nullptr, "event field \"", key, "\" is taken");
    json.Set(key, value);
  }
  return json;
}

StatusOr<Event> EventFromJson(const Json& json) {
  Event event;
  GYRE_ASSIGN_OR_RETURN(event.time, json.GetString("time"));
  GYRE_ASSIGN_OR_RETURN(event.step, json.GetInt("step"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t rank, json.GetInt("rank"));
  event.rank = static_cast<int>(rank);
  GYRE_ASSIGN_OR_RETURN(event.kind, json.GetString("kind"));
  for (const auto& [key, value] : json.members()) {
    if (key != "time" && key != "step" && key != "rank" && key != "kind") {
      event.fields.Set(key, value);
    }
  }
  return event;
}

}  // namespace gyre

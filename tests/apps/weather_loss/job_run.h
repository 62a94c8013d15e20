// The main job as a person launches it, and what its run directory says.

#ifndef GYRE_TESTS_APPS_WEATHER_LOSS_JOB_RUN_H_
#define GYRE_TESTS_APPS_WEATHER_LOSS_JOB_RUN_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/weather_loss/storm_data.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/event_log.h"

namespace gyre::weather {

using namespace internal;

using Arguments = std::vector<std::string>;

// The storm data, or the synthetic fields where the package is missing.
inline std::string Data() {
  return DirectoryExists(kStormFolder) ? kStormFolder : "synthetic";
}

inline Arguments LaunchJob(int ranks,
                           const std::string& data,
                           const std::string& out,
                           const Arguments& more) {
  Arguments all = {GYRE_COMMAND,
                   "launch",
                   "-n",
                   Cat(ranks),
                   "--",
                   "weather_loss",
                   "--data",
                   data,
                   "--out",
                   out};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline Json Summary(const std::string& out) {
  const auto text = ReadFile(out + "/summary.json");
  EXPECT_TRUE(text.ok()) << Message(text.status());
  const auto json = Json::Parse(text.ok() ? *text : "{}");
  return json.ok() ? *json : Json::Object();
}

// Of the parameters at the end; "" when the run did not get there.
inline std::string HashOf(const std::string& out) {
  return Summary(out).GetString("param_hash").value_or("");
}

inline std::vector<Event> EventsOfKind(const std::string& out,
                                       const std::string& kind) {
  std::vector<Event> chosen;
  const auto events = ReadEvents(out + "/events.jsonl");
  EXPECT_TRUE(events.ok()) << Message(events.status());
  if (!events.ok()) return chosen;
  for (const Event& event : *events) {
    if (event.kind == kind) chosen.push_back(event);
  }
  return chosen;
}

}  // namespace gyre::weather

#endif  // GYRE_TESTS_APPS_WEATHER_LOSS_JOB_RUN_H_

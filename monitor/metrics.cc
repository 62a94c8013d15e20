#include "gyre/monitor/metrics.h"

#include <utility>

#include "gyre/core/check.h"
#include "gyre/monitor/json_lines.h"

namespace gyre::internal::inline monitor {

Json ToJson(const StepMetrics& m) {
  Json json = Json::Object({{"step", m.step},
                            {"loss", m.loss},
                            {"grad_norm", m.grad_norm},
                            {"clip_scale", m.clip_scale},
                            {"lr", m.lr},
                            {"verdict", m.verdict},
                            {"applied", m.applied},
                            {"skipped", m.skipped},
                            {"bad_count", m.bad_count},
                            {"step_ms", m.step_ms},
                            {"wait_ms", m.wait_ms}});
  for (const auto& [key, value] : m.more.members()) {
    GYRE_CHECK(json.Find(key) == nullptr, "metric \"", key, "\" is taken");
    json.Set(key, value);
  }
  return json;
}

StatusOr<StepMetrics> StepMetricsFromJson(const Json& json) {
  StepMetrics m;
  GYRE_ASSIGN_OR_RETURN(m.step, json.GetInt("step"));
  GYRE_ASSIGN_OR_RETURN(m.loss, json.GetDouble("loss"));
  GYRE_ASSIGN_OR_RETURN(m.grad_norm, json.GetDouble("grad_norm"));
  GYRE_ASSIGN_OR_RETURN(m.clip_scale, json.GetDouble("clip_scale"));
  GYRE_ASSIGN_OR_RETURN(m.lr, json.GetDouble("lr"));
  GYRE_ASSIGN_OR_RETURN(m.verdict, json.GetString("verdict"));
  GYRE_ASSIGN_OR_RETURN(m.applied, json.GetBool("applied"));
  GYRE_ASSIGN_OR_RETURN(m.skipped, json.GetInt("skipped"));
  GYRE_ASSIGN_OR_RETURN(m.bad_count, json.GetInt("bad_count"));
  GYRE_ASSIGN_OR_RETURN(m.step_ms, json.GetDouble("step_ms"));
  GYRE_ASSIGN_OR_RETURN(m.wait_ms, json.GetDouble("wait_ms"));
  const Json standard = ToJson(StepMetrics());
  for (const auto& [key, value] : json.members()) {
    if (standard.Find(key) == nullptr) m.more.Set(key, value);
  }
  return m;
}

StatusOr<MetricsLog> MetricsLog::Open(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(BufferedLines lines, BufferedLines::Open(path));
  return MetricsLog(std::move(lines));
}

Status MetricsLog::Write(const StepMetrics& metrics) {
  return lines_.Write(ToJson(metrics), metrics.verdict != "clean");
}

StatusOr<std::vector<StepMetrics>> ReadMetrics(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::vector<Json> lines, ReadJsonLines(path));
  std::vector<StepMetrics> steps;
  for (const Json& line : lines) {
    StatusOr<StepMetrics> metrics = StepMetricsFromJson(line);
    if (!metrics.ok()) {
      return Annotate(metrics.status(), Cat(path, ":", steps.size() + 1, ": "));
    }
    steps.push_back(*std::move(metrics));
  }
  return steps;
}

}  // namespace gyre::internal::inline monitor

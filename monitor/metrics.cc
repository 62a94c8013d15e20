#include "monitor/metrics.h"

#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "monitor/json_lines.h"

namespace gyre {
namespace {

constexpr std::int64_t kFlushNanos = 1'000'000'000;
constexpr std::size_t kFlushBytes = 64 * 1024;

}  // namespace

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

MetricsLog::MetricsLog(LineWriter writer)
    : writer_(std::move(writer)), last_flush_ns_(NowNanos()) {}

StatusOr<MetricsLog> MetricsLog::Open(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(LineWriter writer, LineWriter::Open(path));
  return MetricsLog(std::move(writer));
}

MetricsLog::~MetricsLog() { Flush().IgnoreError(); }

Status MetricsLog::Write(const StepMetrics& metrics) {
  lines_ += ToJson(metrics).Dump();
  lines_ += '\n';
  const bool due = NowNanos() - last_flush_ns_ >= kFlushNanos ||
                   lines_.size() >= kFlushBytes || metrics.verdict != "clean";
  return due ? Flush() : OkStatus();
}

Status MetricsLog::Flush() {
  last_flush_ns_ = NowNanos();
  if (lines_.empty()) return OkStatus();
  // Emptied even if the disk is full: better to lose lines than to grow.
  return writer_.WriteBlock(std::exchange(lines_, {}));
}

Status MetricsLog::Close() {
  GYRE_RETURN_IF_ERROR(Flush());
  return writer_.Close();
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

}  // namespace gyre

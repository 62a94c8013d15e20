#include "gyre/monitor/records/telemetry.h"

#include <map>
#include <utility>

namespace gyre::internal::inline monitor {
namespace {

// By name, then by step.
template <class T>
using Series = std::map<std::string, std::map<double, T>>;

struct Mean {
  double sum = 0;
  double weight = 0;
};

// The object at record[outer][inner]; null without one.
const Json* ObjectIn(const Json& record,
                     std::string_view outer,
                     std::string_view inner) {
  const Json* found = record.Find(outer);
  if (found == nullptr || !found->is_object()) return nullptr;
  if (!inner.empty()) found = found->Find(inner);
  return found != nullptr && found->is_object() ? found : nullptr;
}

// Calls use(step, object) for every rank's record that has the object.
template <class Use>
void ForEach(const RunRecords& records,
             std::string_view outer,
             std::string_view inner,
             const Use& use) {
  for (const auto& [rank, lines] : records.ranks) {
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      const Json* object = ObjectIn(line, outer, inner);
      if (step.has_value() && object != nullptr) use(*step, *object);
    }
  }
}

void TakeLargest(std::map<double, double>& by_step, double step, double value) {
  const auto [at, is_new] = by_step.try_emplace(step, value);
  if (!(value <= at->second)) at->second = value;
}

TelemetryLine LineFrom(std::string name,
                       const std::map<double, double>& by_step) {
  TelemetryLine line{std::move(name), {}, {}};
  for (const auto& [step, value] : by_step) {
    line.x.push_back(step);
    line.y.push_back(value);
  }
  return line;
}

}  // namespace

std::vector<TelemetryLine> LargestOfRanks(const RunRecords& records,
                                          std::string_view key) {
  Series<double> series;
  std::vector<std::string> order;  // as the records have the names
  ForEach(records, "layers", key, [&](double step, const Json& numbers) {
    for (const auto& [name, value] : numbers.members()) {
      const auto number = value.AsDouble();
      if (!number.ok()) continue;
      if (series.count(name) == 0) order.push_back(name);
      TakeLargest(series[name], step, *number);
    }
  });
  std::vector<TelemetryLine> lines;
  for (const std::string& name : order) {
    lines.push_back(LineFrom(name, series[name]));
  }
  return lines;
}

std::vector<TelemetryLine> GroupLosses(const RunRecords& records) {
  Series<Mean> series;
  std::vector<std::string> order;
  ForEach(records, "groups", "", [&](double step, const Json& groups) {
    for (const auto& [name, group] : groups.members()) {
      const auto sum = NumberIn(group, "sum");
      const auto weight = NumberIn(group, "weight");
      if (!sum.has_value() || !weight.has_value()) continue;
      if (series.count(name) == 0) order.push_back(name);
      Mean& mean = series[name][step];
      mean.sum += *sum;
      mean.weight += *weight;
    }
  });
  std::vector<TelemetryLine> lines;
  for (const std::string& name : order) {
    std::map<double, double> means;
    for (const auto& [step, mean] : series[name]) {
      if (mean.weight > 0) means[step] = mean.sum / mean.weight;
    }
    lines.push_back(LineFrom(name, means));
  }
  return lines;
}

TelemetryLine MachineLine(const RunRecords& records, std::string_view key) {
  std::map<double, double> by_step;
  ForEach(records, "machine", "", [&](double step, const Json& machine) {
    const auto value = NumberIn(machine, key);
    if (value.has_value()) TakeLargest(by_step, step, *value);
  });
  return LineFrom(std::string(key), by_step);
}

}  // namespace gyre::internal::inline monitor

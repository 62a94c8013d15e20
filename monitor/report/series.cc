#include "gyre/monitor/report/series.h"

#include <algorithm>
#include <map>

#include "gyre/core/finite.h"
#include "gyre/monitor/metrics.h"
#include "gyre/monitor/rank_log.h"

namespace gyre::internal::inline monitor {
namespace {

bool IsStandard(const std::string& key) {
  static const auto& metrics = *new Json(ToJson(StepMetrics()));
  static const auto& ranks = *new Json(ToJson(RankRecord()));
  for (const char* shown :
       {"eval_loss", "loss_scale", "last_rank", "last_behind_ms"}) {
    if (key == shown) return true;
  }
  return metrics.Find(key) != nullptr || ranks.Find(key) != nullptr;
}

// Keeps the rows of an object in the order in which they first come.
class MapBuilder {
 public:
  void Add(const std::string& title, const Json& object, double step) {
    for (const auto& [key, value] : object.members()) {
      if (value.is_object()) {
        Add(title + "/" + key, value, step);
        continue;
      }
      const auto number = value.AsDouble();
      if (number.ok()) AddOne(title, key, step, *number);
    }
  }
  std::vector<HeatMap> Take() { return std::move(maps_); }

 private:
  void AddOne(const std::string& title,
              const std::string& key,
              double step,
              double value) {
    const auto [at, is_new] = rows_.try_emplace({title, key});
    if (is_new) at->second = NewRow(title, key);
    HeatRow& row = maps_[at->second.first].rows[at->second.second];
    row.x.push_back(step);
    row.y.push_back(value);
  }

  std::pair<std::size_t, std::size_t> NewRow(const std::string& title,
                                             const std::string& key) {
    auto map = std::find_if(maps_.begin(), maps_.end(), [&](const HeatMap& m) {
      return m.title == title;
    });
    if (map == maps_.end()) {
      maps_.push_back({title, {}});
      map = maps_.end() - 1;
    }
    map->rows.push_back({key, {}, {}});
    return {map - maps_.begin(), map->rows.size() - 1};
  }

  std::vector<HeatMap> maps_;
  std::map<std::pair<std::string, std::string>,
           std::pair<std::size_t, std::size_t>>
      rows_;
};

}  // namespace

ChartLine LineOf(const std::vector<Json>& records,
                 std::string_view key,
                 std::string name,
                 std::string css) {
  ChartLine line;
  line.name = std::move(name);
  line.css = std::move(css);
  for (const Json& record : records) {
    const auto step = NumberIn(record, "step");
    const auto value = NumberIn(record, key);
    if (!step.has_value() || !value.has_value()) continue;
    line.x.push_back(*step);
    line.y.push_back(*value);
  }
  return line;
}

std::pair<ChartLine, ChartLine> RankExtremes(const RunRecords& records,
                                             std::string_view key) {
  std::map<double, std::pair<double, double>> by_step;
  for (const auto& [rank, lines] : records.ranks) {
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      const auto value = NumberIn(line, key);
      if (!step.has_value() || !value.has_value()) continue;
      const auto [at, is_new] = by_step.try_emplace(*step, *value, *value);
      auto& [low, high] = at->second;
      // What is not finite wins: it must be seen.
      if (!(*value >= low)) low = *value;
      if (!(*value <= high)) high = *value;
    }
  }
  ChartLine low{"least of the ranks", "faint", {}, {}};
  ChartLine high{"largest of the ranks", "c2", {}, {}};
  for (const auto& [step, range] : by_step) {
    low.x.push_back(step);
    low.y.push_back(range.first);
    high.x.push_back(step);
    high.y.push_back(range.second);
  }
  return {std::move(low), std::move(high)};
}

std::vector<std::string> ExtraKeys(const std::vector<Json>& records) {
  std::vector<std::string> keys;
  for (const Json& record : records) {
    for (const auto& [key, value] : record.members()) {
      if (IsStandard(key) || !value.AsDouble().ok()) continue;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  return keys;
}

std::vector<HeatMap> ObjectsOfNumbers(const std::vector<Json>& records) {
  MapBuilder builder;
  for (const Json& record : records) {
    const auto step = NumberIn(record, "step");
    if (!step.has_value()) continue;
    for (const auto& [key, value] : record.members()) {
      if (value.is_object()) builder.Add(key, value, *step);
    }
  }
  return builder.Take();
}

}  // namespace gyre::internal::inline monitor

// The best value of a metric so far, as BestCheckpoint and EarlyStopping see
// it, and carry it over a resume.

#ifndef GYRE_TRAIN_RUN_BEST_METRIC_H_
#define GYRE_TRAIN_RUN_BEST_METRIC_H_

#include <cmath>
#include <cstdint>
#include <optional>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline train {

struct BestMetric {
  std::optional<double> value = {};
  std::int64_t step = -1;  // that had it
  std::int64_t worse = 0;  // values since that were no better

  // Whether this one is better, by more than `by`. A NaN never is.
  bool Observe(double now, std::int64_t at, bool higher, double by = 0) {
    const double gain = !value ? 0 : higher ? now - *value : *value - now;
    if (std::isnan(now) || (value.has_value() && !(gain > by))) {
      ++worse;
      return false;
    }
    *this = {.value = now, .step = at, .worse = 0};
    return true;
  }

  Json ToJson() const {
    Json json = Json::Object({{"step", step}, {"worse", worse}});
    if (value.has_value()) json.Set("value", *value);
    return json;
  }
  Status Restore(const Json& json) {
    BestMetric saved;
    GYRE_ASSIGN_OR_RETURN(saved.step, json.GetInt("step"));
    GYRE_ASSIGN_OR_RETURN(saved.worse, json.GetInt("worse"));
    if (json.Find("value") != nullptr) {
      GYRE_ASSIGN_OR_RETURN(saved.value, json.GetDouble("value"));
    }
    *this = saved;
    return OkStatus();
  }
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RUN_BEST_METRIC_H_

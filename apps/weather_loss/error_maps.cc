#include "apps/weather_loss/error_maps.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace gyre::weather {

using namespace internal;

namespace {

struct CellErrors {
  std::int64_t count = 0;
  double sum = 0;
  double squares = 0;

  void Add(double error) {
    ++count;
    sum += error;
    squares += error * error;
  }
};

// The number of each cell, rounded to 0.1: of Pa, that is enough.
template <class Number>
Json MapJson(const std::string& title,
             const Fields& fields,
             const std::vector<CellErrors>& errors,
             const Number& number) {
  Json values = Json::Array();
  for (const CellErrors& e : errors) {
    values.Append(e.count == 0 ? Json()
                               : Json(std::round(10 * number(e)) / 10));
  }
  return Json::Object({{"title", title},
                       {"unit", std::string(kChannelUnits[kP])},
                       {"lat", Json::ArrayOf(fields.lat)},
                       {"lon", Json::ArrayOf(fields.lon)},
                       {"values", std::move(values)}});
}

}  // namespace

Json ErrorMaps(const Fields& fields,
               std::span<const std::int64_t> ids,
               const Tensor& forecasts) {
  const auto cells = static_cast<std::size_t>(fields.cells());
  const std::span<const float> all = forecasts.data<float>();
  std::vector<CellErrors> model(cells), persistence(cells);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::int64_t t = ids[k];
    const auto forecast = all.subspan((k * kChannels + kP) * cells, cells);
    const auto now = fields.Values(t, kP), next = fields.Values(t + 1, kP);
    const auto valid = fields.Mask(t, kP), then = fields.Mask(t + 1, kP);
    for (std::size_t i = 0; i < cells; ++i) {
      if (valid[i] != 1 || then[i] != 1) continue;
      model[i].Add(double{forecast[i]} - next[i]);
      persistence[i].Add(double{now[i]} - next[i]);
    }
  }
  const auto rmse = [](const CellErrors& e) {
    return std::sqrt(e.squares / static_cast<double>(e.count));
  };
  const auto bias = [](const CellErrors& e) {
    return e.sum / static_cast<double>(e.count);
  };
  return Json::Object(
      {{"maps",
        Json::Array(
            {MapJson("p: RMSE of persistence", fields, persistence, rmse),
             MapJson("p: RMSE of the model", fields, model, rmse),
             MapJson("p: mean error of the model", fields, model, bias)})}});
}

}  // namespace gyre::weather

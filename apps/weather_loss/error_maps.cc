#include "apps/weather_loss/error_maps.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "gyre/data/array/xtensor.h"

namespace gyre::weather {

using namespace internal;

namespace {

using Map = xt::xtensor<double, 2>;  // (lat, lon)

// Sums over pairs, cell by cell, of those that are valid at both times.
struct CellErrors {
  Map count, sum, squares;

  explicit CellErrors(const Fields& fields) {
    const std::array<std::size_t, 2> shape = {
        static_cast<std::size_t>(fields.lats()),
        static_cast<std::size_t>(fields.lons())};
    count = sum = squares = xt::zeros<double>(shape);
  }
  template <class Valid, class Value, class Truth>
  void Add(const Valid& valid, const Value& value, const Truth& truth) {
    const Map error =
        xt::where(valid, xt::cast<double>(value) - xt::cast<double>(truth), 0.);
    count += xt::cast<double>(valid);
    sum += error;
    squares += error * error;
  }
};

// The number of each cell, rounded to 0.1: of Pa, that is enough.
Json MapJson(const std::string& title,
             const Fields& fields,
             const Map& count,
             const Map& numbers) {
  Json values = Json::Array();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    values.Append(count.data()[i] == 0
                      ? Json()
                      : Json(std::round(10 * numbers.data()[i]) / 10));
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
  const auto values = view<float, 4>(fields.values);
  const auto masks = view<std::uint8_t, 4>(fields.mask);
  const auto forecast = view<float, 4>(forecasts);
  constexpr std::size_t kChannel = kP;  // no enumerator: xt::view wants numbers
  CellErrors model(fields), persistence(fields);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto t = static_cast<std::size_t>(ids[k]);
    const auto valid = xt::equal(xt::view(masks, t, kChannel), 1) &&
                       xt::equal(xt::view(masks, t + 1, kChannel), 1);
    const auto next = xt::view(values, t + 1, kChannel);
    model.Add(valid, xt::view(forecast, k, kChannel), next);
    persistence.Add(valid, xt::view(values, t, kChannel), next);
  }
  const auto rmse = [](const CellErrors& e) -> Map {
    return xt::sqrt(e.squares / e.count);
  };
  const Map bias = model.sum / model.count;
  return Json::Object(
      {{"maps",
        Json::Array(
            {MapJson("p: RMSE of persistence",
                     fields,
                     persistence.count,
                     rmse(persistence)),
             MapJson("p: RMSE of the model", fields, model.count, rmse(model)),
             MapJson(
                 "p: mean error of the model", fields, model.count, bias)})}});
}

}  // namespace gyre::weather

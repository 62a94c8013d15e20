// Batches of the weather example: normalised tensors for a list of samples.
//
//   GYRE_ASSIGN_OR_RETURN(const BatchBuilder builder,
//                         BatchBuilder::Create(fields, statistics));
//   std::map<std::string, Tensor> batch = builder.Build({17, 23});
//
//   "input"    (b, inputs, lat, lon)   (x - mean) / std now, 0 where missing
//   "target"   (b, 6, lat, lon)        the same of the next field
//   "mask"     (b, 6, lat, lon)        1 where valid at both times, else 0
//   "slp_now"  (b, 1, lat, lon)        observed pressure in Pa
//   "slp_next" (b, 1, lat, lon)
//
// and constants, the same for every batch:
//
//   "area"           (1, 1, lat, 1)  area weights, mean 1
//   "mean", "std"    (1, 6, 1, 1)    of each channel
//   "tendency_scale" (1, 6, 1, 1)    std of the tendency / std of the values:
//                                    input + tendency_scale * model(input)
//                                    is the forecast
//
// WARNING 1: a missing pressure is 101325 Pa, a depth of 0 hPa: no storm, but
// its logarithm is -inf. Select by the mask before the logarithm.
// WARNING 2: the mask selects; multiplying by it keeps NaN (0 * NaN).

#ifndef GYRE_APPS_WEATHER_LOSS_BATCH_H_
#define GYRE_APPS_WEATHER_LOSS_BATCH_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/weather_loss/fields.h"
#include "apps/weather_loss/statistics.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::weather {

inline constexpr float kStandardPressure = 101325.0f;  // Pa

struct BatchOptions {
  // Adds five inputs that never change: which cells are ever valid, and sine
  // and cosine of latitude and longitude.
  bool static_inputs = false;
};

class BatchBuilder {
 public:
  // Keeps a copy of `fields`, which shares the tensors' memory.
  static StatusOr<BatchBuilder> Create(const Fields& fields,
                                       const Statistics& statistics,
                                       const BatchOptions& options = {});

  int inputs() const;  // channels of "input"
  const Fields& fields() const { return fields_; }
  const std::vector<double>& area() const { return area_; }

  // A data error for an id that has no next step.
  StatusOr<std::map<std::string, Tensor>> Build(
      std::span<const std::int64_t> ids) const;
  std::map<std::string, Tensor> Constants() const;

  // (b, 6, lat, lon), normalised, into Pa, K and m/s.
  Tensor ToPhysical(const Tensor& normalised) const;

 private:
  BatchBuilder(Fields fields, const Statistics& statistics);

  // Writes the channels of one step into `out`.
  void Normalise(std::int64_t t, std::span<float> out) const;
  void BothValid(std::int64_t t, std::span<float> out) const;
  void Pressure(std::int64_t t, std::span<float> out) const;
  void MakeStaticInputs();

  Fields fields_;
  std::array<ChannelStatistics, kChannels> channels_;
  std::vector<double> area_;
  std::vector<float> static_inputs_;  // (channel, lat, lon), or empty
};

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_BATCH_H_

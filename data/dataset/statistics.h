// Mean and spread of each channel over the training times, of its values and
// of their changes from one time to the next.
//
//   GriddedData data;
//   std::vector<std::string> warnings;
//   GYRE_ASSIGN_OR_RETURN(
//       const auto statistics,
//       ComputeChannelStatistics(
//           data.values, data.mask, data.channels, data.train, &warnings));
//
// Over valid cells, each with the same weight, in f64. A spread is never 0:
// that of a constant channel is 1, with a warning that names it, so that the
// normalised channel is 0 everywhere instead of NaN.

#ifndef GYRE_DATA_DATASET_STATISTICS_H_
#define GYRE_DATA_DATASET_STATISTICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/tensor.h"
#include "gyre/data/dataset/dataset.h"

namespace gyre {

struct ChannelStatistics {
  double mean = 0;
  double std = 1;           // of the values
  double std_tendency = 1;  // of value(t + 1) - value(t)
  double min = 0;
  double max = 0;
  std::int64_t count = 0;           // of valid values
  std::int64_t tendency_count = 0;  // of pairs that are valid twice
};

// `values` (time, channel, lat, lon) in f32, `mask` likewise in u8. A data
// error: a channel without any valid value, or pair, within `span`.
StatusOr<std::vector<ChannelStatistics>> ComputeChannelStatistics(
    const Tensor& values,
    const Tensor& mask,
    const std::vector<std::string>& names,
    const TimeSpan& span,
    std::vector<std::string>* warnings);

// {"unit", "mean", "std", ...}
Json ToJson(const ChannelStatistics& statistics, std::string_view unit);

// Of the values, mask, places, times and names within the training period:
// statistics of other data are told from these.
std::uint64_t TrainingHash(const GriddedData& data);

// {"data": TrainingHash, "train": [first, last], "channels": {name: ...}}
StatusOr<Json> DatasetStatistics(const GriddedData& data,
                                 std::vector<std::string>* warnings);

}  // namespace gyre

#endif  // GYRE_DATA_DATASET_STATISTICS_H_

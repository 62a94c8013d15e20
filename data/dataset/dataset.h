// The channels of a configuration on one grid, one time after the other.
//
//   GYRE_ASSIGN_OR_RETURN(const DatasetConfig config,
//                         ReadDatasetConfig("storm.toml"));
//   GYRE_ASSIGN_OR_RETURN(const GriddedData data, LoadDataset(config));
//   data.values;   // (time, channel, lat, lon)
//
// Times are at even distances from the first of all periods to the last, and
// all channels have them all; what is missing is masked.

#ifndef GYRE_DATA_DATASET_DATASET_H_
#define GYRE_DATA_DATASET_DATASET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/tensor.h"
#include "gyre/data/dataset/dataset_config.h"
#include "gyre/data/time/calendar.h"

namespace gyre {

// Positions along time: from `begin` to before `end`.
struct TimeSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
};

struct GriddedData {
  std::vector<std::string> channels;
  std::vector<std::string> units;  // of each channel
  Calendar calendar = Calendar::kStandard;
  std::vector<std::int64_t> seconds;  // since 1970-01-01
  std::int64_t step_seconds = 0;
  std::vector<double> lat;  // degrees north, rising
  std::vector<double> lon;  // degrees east, rising
  Tensor values;            // (time, channel, lat, lon), f32; 0 where missing
  Tensor mask;              // (time, channel, lat, lon), u8; 1 valid
  TimeSpan train;
  TimeSpan validation;  // empty where the configuration has none
  TimeSpan test;
  std::vector<std::string> notes;  // conversions
};

// Data errors of the files, and: channels on different grids or times, times
// at uneven distances, a period without times, a value outside of its range.
StatusOr<GriddedData> LoadDataset(const DatasetConfig& config);

}  // namespace gyre

#endif  // GYRE_DATA_DATASET_DATASET_H_

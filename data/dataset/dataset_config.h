// What a data set is made of: a TOML file.
//
//   files = ["era5/*.nc"]               # relative to this file; * and ? match
//   [periods]                           # both ends included
//   train = ["1996-01-05T00", "1996-01-16T18"]
//   test = ["1996-01-17T00", "1996-01-20T18"]
//   [[channel]]
//   name = "p"                          # what the program calls it
//   variable = "msl"                    # what the file calls it; default: name
//   units = "Pa"                        # converted to, with a line in the log
//   range = [8e4, 1.1e5]                # a value outside is an error
//   [[channel]]
//   name = "u500"
//   variable = "u"
//   files = ["levels/u.nc"]             # instead of those above
//   level = 500                         # in the unit of the file's axis
//   units = "m/s"
//   units_of_file = "m/s"               # where the file names none
//
// A key that is none of these is an error that names the nearest.

#ifndef GYRE_DATA_DATASET_DATASET_CONFIG_H_
#define GYRE_DATA_DATASET_DATASET_CONFIG_H_

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre {

struct ChannelConfig {
  std::string name;
  std::string variable;
  std::vector<std::string> files;  // patterns, resolved against the config
  std::string units;
  std::string units_of_file;
  std::optional<double> level;
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

// First and last time as the configuration writes them; in the calendar of the
// files.
struct PeriodConfig {
  std::string first;
  std::string last;
};

struct DatasetConfig {
  std::string path;
  std::vector<ChannelConfig> channels;
  PeriodConfig train;
  std::optional<PeriodConfig> validation;
  std::optional<PeriodConfig> test;
};

// Config errors, which name the file, the key and what was expected.
StatusOr<DatasetConfig> ReadDatasetConfig(const std::string& path);

}  // namespace gyre

#endif  // GYRE_DATA_DATASET_DATASET_CONFIG_H_

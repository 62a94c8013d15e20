// A variable of a file (or of several along time) as a model wants it: time,
// latitude and longitude in one order, in the unit that was asked for.
//
//   GYRE_ASSIGN_OR_RETURN(
//       const CfField t, ReadCfField({"t2m.nc"}, {.variable = "t2m",
//                                                 .units = "K"}));
//   t.values;   // (time, lat, lon), f32, 0 where t.mask is 0
//
// What the file says of its numbers is obeyed or refused (data/file/masked.h,
// data/cf/axis.h). Every conversion is a line of `notes`; every doubt is an
// error that says what to write.

#ifndef GYRE_DATA_CF_FIELD_H_
#define GYRE_DATA_CF_FIELD_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/tensor.h"
#include "gyre/data/cf/axis.h"

namespace gyre::internal::inline data {

struct CfRequest {
  std::string variable;
  std::string units;  // "" keeps those of the file
  // Which level, in the units of the level axis; needed where it has several.
  std::optional<double> level;
  // The unit that is to be taken where the file has none.
  std::string units_of_file;
  AxisOptions axes;
  // Times to read, both ends included, in seconds since 1970-01-01.
  std::int64_t first_time = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_time = std::numeric_limits<std::int64_t>::max();
};

struct CfField {
  std::string name;
  std::string units;      // of `values`; "" where nobody says
  bool has_units = true;  // the file says what its unit is
  Calendar calendar = Calendar::kStandard;
  std::vector<std::int64_t> seconds;  // since 1970-01-01, rising
  std::vector<double> lat;            // degrees north, rising
  std::vector<double> lon;            // degrees east, rising
  Tensor values;                      // (time, lat, lon), f32
  Tensor mask;                        // (time, lat, lon), u8; 1 valid
  std::vector<std::string> notes;     // conversions

  std::string TimeName(std::size_t t) const {
    return IsoTime(calendar, seconds[t]);
  }
};

// Opens what stands there, of whatever format.
StatusOr<std::unique_ptr<ScienceFile>> OpenScienceFile(const std::string& path);

// `paths` in any order of time. Errors: a time in two files; grids that
// differ; what the pieces refuse.
StatusOr<CfField> ReadCfField(const std::vector<std::string>& paths,
                              const CfRequest& request);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_CF_FIELD_H_

// The axes of a variable, by what they are, and in one order for all files.
//
// An axis is known by its attribute axis or standard_name, by its units
// ("degrees_north", "hours since ..."), and at last by the usual names.
// Latitudes go from south to north, longitudes eastward without a jump (from
// behind the widest gap, or from 0 on a full circle), times forward.

#ifndef GYRE_DATA_CF_AXIS_H_
#define GYRE_DATA_CF_AXIS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/data/file/science_file.h"
#include "gyre/data/time/calendar.h"

namespace gyre::internal::inline data {

enum class AxisKind { kTime, kLevel, kLat, kLon, kOther };

std::string_view Name(AxisKind kind);

struct CfAxis {
  std::string name;
  AxisKind kind = AxisKind::kOther;
  std::string units;                  // of a level
  std::vector<double> values;         // degrees, or as the file has them
  std::vector<std::int64_t> seconds;  // of a time, since 1970-01-01
  Calendar calendar = Calendar::kStandard;
  // Position in the file of each place of the axis.
  std::vector<std::size_t> order;
  std::string note;  // what was changed; "" for nothing

  std::size_t size() const { return order.size(); }
};

struct AxisOptions {
  // The reference time of a time axis whose units name none, as
  // "1996-01-05 00:00"; it is in `fallback_time_units` then.
  std::string reference_time;
  std::string fallback_time_units = "hours";
};

// Of dimension number `dim`. Errors: a coordinate with missing values, twice
// the same, in no order, or with units that do not fit; a projection.
StatusOr<CfAxis> ReadAxis(const ScienceFile& file,
                          const VariableInfo& variable,
                          std::size_t dim,
                          const AxisOptions& options = {});

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_CF_AXIS_H_

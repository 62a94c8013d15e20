#include "gyre/data/cf/axis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "gyre/data/cf/axis_order.h"
#include "gyre/data/file/masked.h"
#include "gyre/data/time/time_axis.h"
#include "gyre/data/time/units.h"

namespace gyre::internal::inline data {
namespace {

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool IsNorth(std::string_view units) {
  return IsOneOf(units,
                 {"degrees_north",
                  "degree_north",
                  "degree_N",
                  "degrees_N",
                  "degreeN",
                  "degreesN"});
}
bool IsEast(std::string_view units) {
  return IsOneOf(units,
                 {"degrees_east",
                  "degree_east",
                  "degree_E",
                  "degrees_E",
                  "degreeE",
                  "degreesE"});
}

AxisKind KindByName(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name = name.substr(slash + 1);
  if (IsOneOf(name, {"lat", "latitude", "Latitude", "LAT", "nav_lat"})) {
    return AxisKind::kLat;
  }
  if (IsOneOf(name, {"lon", "longitude", "Longitude", "LON", "nav_lon"})) {
    return AxisKind::kLon;
  }
  if (IsOneOf(name,
              {"time", "Time", "TIME", "timestep", "valid_time", "times"})) {
    return AxisKind::kTime;
  }
  if (IsOneOf(name,
              {"level",
               "lev",
               "plev",
               "pressure",
               "pressure_level",
               "isobaricInhPa",
               "height",
               "depth",
               "altitude"})) {
    return AxisKind::kLevel;
  }
  return AxisKind::kOther;
}

// Of a coordinate variable.
AxisKind KindOf(const VariableInfo& coordinate) {
  const std::string units = coordinate.Text("units");
  const std::string standard = coordinate.Text("standard_name");
  const std::string axis = coordinate.Text("axis");
  if (standard == "latitude" || IsNorth(units)) return AxisKind::kLat;
  if (standard == "longitude" || IsEast(units)) return AxisKind::kLon;
  if (AreTimeUnits(units) || standard == "time") return AxisKind::kTime;
  if (!coordinate.Text("positive").empty() || axis == "Z" ||
      standard == "air_pressure" || standard == "height") {
    return AxisKind::kLevel;
  }
  const AxisKind by_name = KindByName(coordinate.name);
  if (by_name != AxisKind::kOther) return by_name;
  if (axis == "T") return AxisKind::kTime;
  return AxisKind::kOther;
}

// Reads one coordinate; its errors name file and variable.
class AxisReader {
 public:
  AxisReader(const ScienceFile& file,
             const VariableInfo& coordinate,
             const AxisOptions& options)
      : file_(file), coordinate_(coordinate), options_(options) {}

  StatusOr<CfAxis> Read() {
    CfAxis axis;
    axis.name = coordinate_.name;
    axis.kind = KindOf(coordinate_);
    axis.units = coordinate_.Text("units");
    GYRE_RETURN_IF_ERROR(CheckPlain());
    GYRE_ASSIGN_OR_RETURN(axis.values, Values());
    const Status ordered = Order(&axis);
    if (!ordered.ok()) {
      return Annotate(ordered,
                      Cat(file_.path(), ": coordinate ", axis.name, ": "));
    }
    return axis;
  }

 private:
  template <class... Parts>
  Status Bad(const Parts&... parts) const {
    return DataError(
        file_.path(), ": coordinate ", coordinate_.name, ": ", parts...);
  }

  Status CheckPlain() const {
    const std::string standard = coordinate_.Text("standard_name");
    if (standard.rfind("projection_", 0) == 0 ||
        standard.rfind("grid_", 0) == 0) {
      return Bad("is of a projection (",
                 standard,
                 "), whose cells are no rectangles of latitude and longitude: "
                 "regrid the data first");
    }
    for (const char* name : {"compress", "month_lengths", "leap_month"}) {
      if (coordinate_.Find(name) != nullptr) {
        return Bad("the attribute ", name, " is not supported: expand it");
      }
    }
    const FileAttribute* units = coordinate_.Find("units");
    if (units != nullptr && !units->is_text()) {
      return Bad("the attribute units is a number where a text belongs");
    }
    return OkStatus();
  }

  StatusOr<std::vector<double>> Values() const {
    GYRE_ASSIGN_OR_RETURN(
        const MaskedBlock block,
        ReadMasked(file_, coordinate_, BlockOf(coordinate_), DType::kF64));
    const auto mask = block.mask.data<std::uint8_t>();
    const auto missing = std::find(mask.begin(), mask.end(), 0);
    if (missing != mask.end()) {
      return DataError(file_.path(),
                       ": coordinate ",
                       coordinate_.name,
                       " is missing at position ",
                       missing - mask.begin());
    }
    const std::span<const double> values = block.values.data<double>();
    return std::vector<double>(values.begin(), values.end());
  }

  Status Order(CfAxis* axis) const {
    switch (axis->kind) {
      case AxisKind::kLat:
        GYRE_RETURN_IF_ERROR(ToDegrees(axis));
        return OrderLatitudes(axis);
      case AxisKind::kLon:
        GYRE_RETURN_IF_ERROR(ToDegrees(axis));
        return OrderLongitudes(axis);
      case AxisKind::kTime:
        GYRE_RETURN_IF_ERROR(ReadTimes(axis));
        return OrderTimes(axis);
      default:
        axis->order.resize(axis->values.size());
        std::iota(axis->order.begin(), axis->order.end(), std::size_t{0});
        return OkStatus();
    }
  }

  // Angles in other units, and none at all, which is taken for degrees unless
  // the numbers are those of radians.
  Status ToDegrees(CfAxis* axis) const {
    if (IsNorth(axis->units) || IsEast(axis->units)) return OkStatus();
    if (axis->units.empty()) {
      double largest = 0;
      for (const double value : axis->values) {
        largest = std::max(largest, std::abs(value));
      }
      const double whole = axis->kind == AxisKind::kLat ? 1.5708 : 6.2832;
      if (largest <= whole && axis->values.size() > 3) {
        return DataError("its values, up to ",
                         largest,
                         ", look like radians, and it has no units: write "
                         "`ncatted -a units,",
                         axis->name,
                         ",o,c,radian FILE` or degrees_north");
      }
      return OkStatus();
    }
    GYRE_ASSIGN_OR_RETURN(const UnitConversion conversion,
                          ConvertUnits(axis->units, "degree"));
    for (double& value : axis->values) value = conversion(value);
    return OkStatus();
  }

  Status ReadTimes(CfAxis* axis) const {
    std::string units = axis->units;
    if (!AreTimeUnits(units) && !options_.reference_time.empty()) {
      units = Cat(units.empty() ? options_.fallback_time_units : units,
                  " since ",
                  options_.reference_time);
    }
    if (!AreTimeUnits(units)) {
      return DataError(
          "expected units like \"hours since 1996-01-05 00:00\", "
          "got \"",
          units,
          "\": write them with `ncatted -a units,",
          axis->name,
          ",o,c,\"hours since ...\" FILE`");
    }
    const FileAttribute* calendar = coordinate_.Find("calendar");
    if (calendar != nullptr && !calendar->is_text()) {
      return DataError("the attribute calendar is a number");
    }
    GYRE_ASSIGN_OR_RETURN(
        const TimeUnits time,
        ParseTimeUnits(units, calendar == nullptr ? "" : calendar->text));
    axis->calendar = time.calendar;
    for (const double value : axis->values) {
      GYRE_ASSIGN_OR_RETURN(const std::int64_t second, time.Seconds(value));
      axis->seconds.push_back(second);
    }
    return OkStatus();
  }

  const ScienceFile& file_;
  const VariableInfo& coordinate_;
  const AxisOptions& options_;
};

// The coordinate variable of a dimension, in the variable's group or above.
const VariableInfo* CoordinateOf(const ScienceFile& file,
                                 const VariableInfo& variable,
                                 const std::string& dim) {
  std::string prefix = variable.name;
  for (;;) {
    const std::size_t slash = prefix.rfind('/');
    prefix.resize(slash == std::string::npos ? 0 : slash + 1);
    const VariableInfo* found = file.FindOrNull(prefix + dim);
    if (found != nullptr && found->dims == std::vector<std::string>{dim}) {
      return found;
    }
    if (prefix.empty()) return nullptr;
    prefix.pop_back();
  }
}

}  // namespace

std::string_view Name(AxisKind kind) {
  constexpr std::string_view kNames[] = {
      "time", "level", "latitude", "longitude", "other"};
  return kNames[static_cast<int>(kind)];
}

StatusOr<CfAxis> ReadAxis(const ScienceFile& file,
                          const VariableInfo& variable,
                          std::size_t dim,
                          const AxisOptions& options) {
  const std::string& name = variable.dims[dim];
  const VariableInfo* coordinate = CoordinateOf(file, variable, name);
  if (coordinate != nullptr && IsNumber(coordinate->type)) {
    return AxisReader(file, *coordinate, options).Read();
  }
  CfAxis axis;
  axis.name = name;
  axis.order.resize(
      static_cast<std::size_t>(variable.shape[static_cast<int>(dim)]));
  std::iota(axis.order.begin(), axis.order.end(), std::size_t{0});
  axis.values.assign(axis.order.begin(), axis.order.end());
  return axis;
}

}  // namespace gyre::internal::inline data

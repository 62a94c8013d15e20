#include "apps/weather_loss/storm_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "apps/weather_loss/netcdf.h"
#include "apps/weather_loss/synthetic.h"
#include "apps/weather_loss/valid_time.h"
#include "gyre/core/io/file.h"

namespace gyre::weather {

using namespace internal;

namespace {

struct Source {
  const char* file;
  const char* variable;
  // No value on Earth lies outside, in the unit we expect.
  float lowest;
  float highest;
};

constexpr std::array<Source, kChannels> kSources = {{
    {"Pstorm.cdf", "p", 8.0e4f, 1.1e5f},
    {"Tstorm.cdf", "t", 150, 350},
    {"Ustorm.cdf", "u", -150, 150},
    {"Vstorm.cdf", "v", -150, 150},
    {"U500storm.cdf", "u", -150, 150},
    {"V500storm.cdf", "v", -150, 150},
}};

struct Grid {
  std::vector<double> lat;
  std::vector<double> lon;
  std::vector<double> hours;  // after the reference time
  std::int64_t reference_hour = 0;

  Shape shape() const {  // (time, lat, lon)
    return Shape({static_cast<std::int64_t>(hours.size()),
                  static_cast<std::int64_t>(lat.size()),
                  static_cast<std::int64_t>(lon.size())});
  }
};

StatusOr<Grid> ReadGrid(const NetcdfFile& file) {
  Grid grid;
  GYRE_ASSIGN_OR_RETURN(grid.lat, file.ReadCoordinate("lat"));
  GYRE_ASSIGN_OR_RETURN(grid.lon, file.ReadCoordinate("lon"));
  GYRE_ASSIGN_OR_RETURN(grid.hours, file.ReadCoordinate("timestep"));
  GYRE_ASSIGN_OR_RETURN(const std::string text, file.ReadText("reftime"));
  StatusOr<std::int64_t> hour = ParseReferenceTime(text);
  if (!hour.ok()) {
    return Annotate(hour.status(), Cat(file.path(), ": reftime: "));
  }
  grid.reference_hour = *hour;
  return grid;
}

// One axis of a file against that of the first file.
Status CheckAxis(const NetcdfFile& file,
                 std::string_view axis,
                 const std::vector<double>& got,
                 const std::vector<double>& expected) {
  if (got.size() != expected.size()) {
    return DataError(file.path(),
                     ": its grid differs: expected ",
                     expected.size(),
                     " values of ",
                     axis,
                     " as in ",
                     kSources[0].file,
                     ", got ",
                     got.size(),
                     ": put six files of one grid into the folder");
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != expected[i]) {
      return DataError(file.path(),
                       ": its grid differs: expected ",
                       axis,
                       "[",
                       i,
                       "] = ",
                       expected[i],
                       " as in ",
                       kSources[0].file,
                       ", got ",
                       got[i],
                       ": put six files of one grid into the folder");
    }
  }
  return OkStatus();
}

Status CheckSameGrid(const NetcdfFile& file,
                     const Grid& got,
                     const Grid& expected) {
  GYRE_RETURN_IF_ERROR(CheckAxis(file, "lat", got.lat, expected.lat));
  GYRE_RETURN_IF_ERROR(CheckAxis(file, "lon", got.lon, expected.lon));
  GYRE_RETURN_IF_ERROR(CheckAxis(file, "timestep", got.hours, expected.hours));
  if (got.reference_hour != expected.reference_hour) {
    return DataError(file.path(),
                     ": expected the reference time ",
                     IsoHour(expected.reference_hour),
                     " as in ",
                     kSources[0].file,
                     ", got ",
                     IsoHour(got.reference_hour));
  }
  return OkStatus();
}

// The hours between two steps, the same for all.
StatusOr<int> StepHours(const NetcdfFile& file, const Grid& grid) {
  if (grid.hours.size() < 2) {
    return DataError(file.path(),
                     ": expected 2 time steps or more, got ",
                     grid.hours.size());
  }
  const double step = grid.hours[1] - grid.hours[0];
  for (std::size_t i = 1; i < grid.hours.size(); ++i) {
    if (grid.hours[i] - grid.hours[i - 1] != step || step <= 0 ||
        step != std::trunc(step)) {
      return DataError(file.path(),
                       ": expected time steps at an even distance of whole "
                       "hours, got ",
                       grid.hours[i - 1],
                       " and then ",
                       grid.hours[i]);
    }
  }
  return static_cast<int>(step);
}

Status CheckValues(const NetcdfFile& file,
                   const Source& source,
                   std::string_view unit,
                   const MaskedField& field) {
  const std::span<const float> values = field.values.data<float>();
  const std::span<const std::uint8_t> mask = field.mask.data<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (mask[i] == 1 &&
        !(values[i] >= source.lowest && values[i] <= source.highest)) {
      return DataError(file.path(),
                       ": variable ",
                       source.variable,
                       ": expected values from ",
                       source.lowest,
                       " to ",
                       source.highest,
                       " ",
                       unit,
                       ", element ",
                       i,
                       " is ",
                       values[i],
                       ": convert the unit, or declare the fill value with "
                       "_FillValue");
    }
  }
  return OkStatus();
}

StatusOr<MaskedField> ReadField(const NetcdfFile& file,
                                int channel,
                                const Shape& expected) {
  const Source& source = kSources[channel];
  GYRE_ASSIGN_OR_RETURN(const Shape shape, file.VariableShape(source.variable));
  if (shape != expected) {
    return DataError(file.path(),
                     ": variable ",
                     source.variable,
                     ": expected (timestep, lat, lon) = ",
                     expected,
                     ", got ",
                     shape);
  }
  GYRE_ASSIGN_OR_RETURN(MaskedField field, file.ReadMasked(source.variable));
  GYRE_RETURN_IF_ERROR(
      CheckValues(file, source, kChannelUnits[channel], field));
  return field;
}

// (time, lat, lon) of one channel into (time, channel, lat, lon).
void CopyChannel(const MaskedField& field, int channel, Fields* fields) {
  const std::int64_t cells = fields->cells();
  for (std::int64_t t = 0; t < fields->steps(); ++t) {
    const std::int64_t to = (t * kChannels + channel) * cells;
    std::copy_n(field.values.data<float>().begin() + t * cells,
                cells,
                fields->values.data<float>().begin() + to);
    std::copy_n(field.mask.data<std::uint8_t>().begin() + t * cells,
                cells,
                fields->mask.data<std::uint8_t>().begin() + to);
  }
}

Status CheckFolder(const std::string& folder) {
  const std::string where = folder + "/" + kSources[0].file;
  if (FileExists(where)) return OkStatus();
  const bool is_default = folder == kStormFolder;
  return DataError(
      "expected the storm data (",
      kSources[0].file,
      " and five more) in ",
      folder,
      DirectoryExists(folder) ? ", which does not hold it"
                              : ", which is no folder",
      is_default ? ": run `apt-get install libncarg-data`, or give "
                   "--data DIR or --data synthetic"
                 : ": correct --data, leave it out for the data of Debian's "
                   "package libncarg-data, or give --data synthetic");
}

// Of "synthetic:256".
StatusOr<std::int64_t> SyntheticLength(const std::string& text) {
  constexpr std::int64_t kMost = 100'000;
  std::int64_t steps = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, steps);
  if (error == std::errc() && stop == end && steps >= kSyntheticSteps &&
      steps <= kMost) {
    return steps;
  }
  return ConfigError("--data synthetic:",
                     text,
                     ": a number of six-hourly steps from ",
                     kSyntheticSteps,
                     " to ",
                     kMost,
                     " was expected, as in synthetic:256");
}

void InitializeFields(const Grid& grid, Fields* fields) {
  const Shape shape = grid.shape();
  const Shape full({shape[0], kChannels, shape[1], shape[2]});
  fields->values = Tensor::Zeros(full);
  fields->mask = Tensor::Zeros(full, DType::kU8);
  fields->lat = grid.lat;
  fields->lon = grid.lon;
  for (const double hour : grid.hours) {
    fields->times.push_back(
        IsoHour(grid.reference_hour + static_cast<std::int64_t>(hour)));
  }
}

}  // namespace

StatusOr<Fields> LoadStormData(const std::string& folder) {
  GYRE_RETURN_IF_ERROR(CheckFolder(folder));
  Fields fields;
  fields.source = folder;
  Grid first;
  for (int c = 0; c < kChannels; ++c) {
    GYRE_ASSIGN_OR_RETURN(const NetcdfFile file,
                          NetcdfFile::Open(folder + "/" + kSources[c].file));
    GYRE_ASSIGN_OR_RETURN(const Grid grid, ReadGrid(file));
    if (c == 0) {
      first = grid;
      GYRE_ASSIGN_OR_RETURN(fields.step_hours, StepHours(file, grid));
      InitializeFields(grid, &fields);
    } else {
      GYRE_RETURN_IF_ERROR(CheckSameGrid(file, grid, first));
    }
    GYRE_ASSIGN_OR_RETURN(const MaskedField field,
                          ReadField(file, c, first.shape()));
    CopyChannel(field, c, &fields);
  }
  return fields;
}

StatusOr<Fields> LoadFields(const std::string& data, std::uint64_t seed) {
  if (data == "synthetic") return SyntheticFields(seed);
  constexpr std::string_view kLonger = "synthetic:";
  if (data.rfind(kLonger, 0) == 0) {
    GYRE_ASSIGN_OR_RETURN(const std::int64_t steps,
                          SyntheticLength(data.substr(kLonger.size())));
    return SyntheticFields(seed, steps);
  }
  return LoadStormData(data.empty() ? kStormFolder : data);
}

}  // namespace gyre::weather

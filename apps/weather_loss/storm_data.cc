#include "apps/weather_loss/storm_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "apps/weather_loss/configured_data.h"
#include "apps/weather_loss/synthetic.h"
#include "gyre/core/io/file.h"
#include "gyre/data/cf/field.h"
#include "gyre/data/time/time_axis.h"

namespace gyre::weather {

using namespace internal;

namespace {

struct Source {
  const char* file;
  const char* variable;
};

constexpr std::array<Source, kChannels> kSources = {{
    {"Pstorm.cdf", "p"},
    {"Tstorm.cdf", "t"},
    {"Ustorm.cdf", "u"},
    {"Vstorm.cdf", "v"},
    {"U500storm.cdf", "u"},
    {"V500storm.cdf", "v"},
}};

// Reads a channel, in the unit that we have it in. The reference time of the
// package's files stands in a text of its own; CF's stands in the units.
StatusOr<CfField> ReadChannel(const std::string& path, int channel) {
  const Source& source = kSources[channel];
  GYRE_ASSIGN_OR_RETURN(const auto file, OpenScienceFile(path));
  CfRequest request;
  request.variable = source.variable;
  request.units = request.units_of_file = kChannelUnits[channel];
  if (file->FindOrNull("reftime") != nullptr) {
    GYRE_ASSIGN_OR_RETURN(request.axes.reference_time,
                          file->ReadText("reftime"));
    const auto valid =
        ParseDateTime(request.axes.reference_time, Calendar::kStandard);
    if (!valid.ok()) return Annotate(valid.status(), path + ": reftime: ");
  }
  return ReadCfField({path}, request);
}

// One axis of a file against that of the first file.
template <class T>
Status CheckAxis(const std::string& path,
                 std::string_view axis,
                 const std::vector<T>& got,
                 const std::vector<T>& expected,
                 double slack) {
  if (got.size() != expected.size()) {
    return DataError(path,
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
    if (std::abs(static_cast<double>(got[i] - expected[i])) > slack) {
      return DataError(path,
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

Status CheckSameGrid(const std::string& path,
                     const CfField& got,
                     const CfField& expected) {
  // Coordinates may be in f32 in one file and in f64 in another.
  constexpr double kDegrees = 1e-4;
  if (got.calendar != expected.calendar) {
    return DataError(path,
                     ": expected the calendar ",
                     Name(expected.calendar),
                     " as in ",
                     kSources[0].file,
                     ", got ",
                     Name(got.calendar));
  }
  if (!got.seconds.empty() && got.seconds[0] != expected.seconds[0]) {
    return DataError(path,
                     ": expected the first time ",
                     expected.TimeName(0),
                     " as in ",
                     kSources[0].file,
                     ", got ",
                     got.TimeName(0));
  }
  GYRE_RETURN_IF_ERROR(CheckAxis(path, "lat", got.lat, expected.lat, kDegrees));
  GYRE_RETURN_IF_ERROR(CheckAxis(path, "lon", got.lon, expected.lon, kDegrees));
  return CheckAxis(path, "time", got.seconds, expected.seconds, 0);
}

// The hours between two steps, the same for all.
StatusOr<int> StepHours(const std::string& path, const CfField& field) {
  if (field.seconds.size() < 2) {
    return DataError(
        path, ": expected 2 time steps or more, got ", field.seconds.size());
  }
  const std::int64_t step = field.seconds[1] - field.seconds[0];
  for (std::size_t i = 1; i < field.seconds.size(); ++i) {
    if (field.seconds[i] - field.seconds[i - 1] != step || step % 3600 != 0) {
      return DataError(path,
                       ": expected time steps at an even distance of whole "
                       "hours, got ",
                       field.TimeName(i - 1),
                       " and then ",
                       field.TimeName(i));
    }
  }
  return static_cast<int>(step / 3600);
}

Status CheckValues(const std::string& path, int channel, const CfField& field) {
  const ValueRange& range = kChannelRanges[channel];
  const std::span<const float> values = field.values.data<float>();
  const std::span<const std::uint8_t> mask = field.mask.data<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (mask[i] == 1 &&
        !(values[i] >= range.lowest && values[i] <= range.highest)) {
      return DataError(path,
                       ": variable ",
                       kSources[channel].variable,
                       ": expected values from ",
                       range.lowest,
                       " to ",
                       range.highest,
                       " ",
                       kChannelUnits[channel],
                       ", element ",
                       i,
                       " is ",
                       values[i],
                       ": give the variable its unit in the attribute units, "
                       "or declare the fill value with _FillValue");
    }
  }
  return OkStatus();
}

// (time, lat, lon) of one channel into (time, channel, lat, lon).
void CopyChannel(const CfField& field, int channel, Fields* fields) {
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

void InitializeFields(const CfField& first, Fields* fields) {
  const Shape& shape = first.values.shape();
  const Shape full({shape[0], kChannels, shape[1], shape[2]});
  fields->values = Tensor::Zeros(full);
  fields->mask = Tensor::Zeros(full, DType::kU8);
  fields->lat = first.lat;
  fields->lon = first.lon;
  fields->seconds = first.seconds;
  fields->calendar = first.calendar;
  for (std::size_t t = 0; t < first.seconds.size(); ++t) {
    fields->times.push_back(first.TimeName(t));
  }
}

// Says of all channels at once that their files name no unit.
void NoteMissingUnits(const std::vector<int>& channels, Fields* fields) {
  if (channels.empty()) return;
  std::string names, units;
  for (const int c : channels) {
    names += Cat(names.empty() ? "" : ", ", kChannelNames[c]);
    units += Cat(units.empty() ? "" : ", ", kChannelUnits[c]);
  }
  fields->notes.push_back(Cat(fields->source,
                              ": no attribute units for ",
                              names,
                              ": taken as ",
                              units,
                              ", as their values may be"));
}

}  // namespace

StatusOr<Fields> LoadStormData(const std::string& folder) {
  GYRE_RETURN_IF_ERROR(CheckFolder(folder));
  Fields fields;
  fields.source = folder;
  CfField first;
  std::vector<int> without_units;
  for (int c = 0; c < kChannels; ++c) {
    const std::string path = folder + "/" + kSources[c].file;
    GYRE_ASSIGN_OR_RETURN(const CfField field, ReadChannel(path, c));
    if (c == 0) {
      first = field;
      GYRE_ASSIGN_OR_RETURN(fields.step_hours, StepHours(path, field));
      InitializeFields(field, &fields);
    } else {
      GYRE_RETURN_IF_ERROR(CheckSameGrid(path, field, first));
    }
    GYRE_RETURN_IF_ERROR(CheckValues(path, c, field));
    CopyChannel(field, c, &fields);
    fields.notes.insert(
        fields.notes.end(), field.notes.begin(), field.notes.end());
    if (!field.has_units) without_units.push_back(c);
  }
  NoteMissingUnits(without_units, &fields);
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
  if (data.ends_with(".toml")) return LoadConfiguredData(data);
  return LoadStormData(data.empty() ? kStormFolder : data);
}

}  // namespace gyre::weather

#include "gyre/data/dataset/dataset.h"

#include <glob.h>

#include <algorithm>
#include <cmath>

#include "gyre/data/cf/field.h"
#include "gyre/data/time/time_axis.h"

namespace gyre {

using namespace internal;

namespace {

// Degrees that channels may differ by: coordinates in f32 and in f64.
constexpr double kSameGrid = 1e-4;

StatusOr<std::vector<std::string>> FilesOf(const ChannelConfig& channel) {
  std::vector<std::string> files;
  for (const std::string& pattern : channel.files) {
    glob_t found = {};
    const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      files.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    if (code != 0) {
      return DataError("channel ",
                       channel.name,
                       ": no file ",
                       pattern,
                       ": correct files in the configuration");
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

struct Seconds {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

StatusOr<Seconds> SecondsOf(const std::string& path,
                            const char* name,
                            const PeriodConfig& period,
                            Calendar calendar) {
  Seconds result;
  for (const auto& [text, to] : {std::pair(&period.first, &result.first),
                                 {&period.last, &result.last}}) {
    const StatusOr<std::int64_t> second = ParseDateTime(*text, calendar);
    if (!second.ok()) {
      return ConfigError(
          path, ": [periods] ", name, ": ", Message(second.status()));
    }
    *to = *second;
  }
  if (result.first > result.last) {
    return ConfigError(path,
                       ": [periods] ",
                       name,
                       " ends at ",
                       period.last,
                       ", before it begins");
  }
  return result;
}

class DatasetLoader {
 public:
  explicit DatasetLoader(const DatasetConfig& config) : config_(config) {}

  StatusOr<GriddedData> Load() {
    for (std::size_t c = 0; c < config_.channels.size(); ++c) {
      GYRE_RETURN_IF_ERROR(LoadChannel(c));
    }
    return std::move(data_);
  }

 private:
  Status LoadChannel(std::size_t c) {
    const ChannelConfig& channel = config_.channels[c];
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                          FilesOf(channel));
    CfRequest request;
    request.variable = channel.variable;
    request.units = channel.units;
    request.units_of_file = channel.units_of_file;
    request.level = channel.level;
    if (c == 0) {
      GYRE_RETURN_IF_ERROR(FindPeriods(files, request));
    }
    request.first_time = first_time_;
    request.last_time = last_time_;
    GYRE_ASSIGN_OR_RETURN(const CfField field, ReadCfField(files, request));
    GYRE_RETURN_IF_ERROR(CheckUnits(channel, field));
    GYRE_RETURN_IF_ERROR(c == 0 ? Begin(field) : CheckSame(channel, field));
    GYRE_RETURN_IF_ERROR(CheckRange(channel, field));
    CopyIn(field, c);
    data_.channels.push_back(channel.name);
    data_.units.push_back(field.units);
    data_.notes.insert(
        data_.notes.end(), field.notes.begin(), field.notes.end());
    return OkStatus();
  }

  // The periods are in the calendar of the first file.
  Status FindPeriods(const std::vector<std::string>& files,
                     const CfRequest& request) {
    GYRE_ASSIGN_OR_RETURN(const auto file, OpenScienceFile(files[0]));
    GYRE_ASSIGN_OR_RETURN(const VariableInfo* info,
                          file->Find(request.variable));
    Calendar calendar = Calendar::kStandard;
    for (std::size_t dim = 0; dim < info->dims.size(); ++dim) {
      GYRE_ASSIGN_OR_RETURN(const CfAxis axis, ReadAxis(*file, *info, dim));
      if (axis.kind == AxisKind::kTime) calendar = axis.calendar;
    }
    GYRE_ASSIGN_OR_RETURN(
        train_, SecondsOf(config_.path, "train", config_.train, calendar));
    first_time_ = train_.first;
    last_time_ = train_.last;
    for (const auto& [name, period, to] :
         {std::tuple("validation", &config_.validation, &validation_),
          std::tuple("test", &config_.test, &test_)}) {
      if (!period->has_value()) continue;
      GYRE_ASSIGN_OR_RETURN(*to,
                            SecondsOf(config_.path, name, **period, calendar));
      first_time_ = std::min(first_time_, to->first);
      last_time_ = std::max(last_time_, to->last);
    }
    return OkStatus();
  }

  Status CheckUnits(const ChannelConfig& channel, const CfField& field) const {
    if (!channel.units.empty() && !field.has_units &&
        channel.units_of_file.empty()) {
      return DataError("channel ",
                       channel.name,
                       ": ",
                       channel.variable,
                       " has no attribute units: write units_of_file = \"",
                       channel.units,
                       "\" into its [[channel]] of ",
                       config_.path,
                       " if it is in that unit");
    }
    return OkStatus();
  }

  Status Begin(const CfField& field) {
    const auto times = static_cast<std::int64_t>(field.seconds.size());
    if (times < 2) {
      return DataError(config_.path,
                       ": expected 2 times or more within the periods, the "
                       "files have ",
                       times);
    }
    data_.calendar = field.calendar;
    data_.seconds = field.seconds;
    data_.lat = field.lat;
    data_.lon = field.lon;
    data_.step_seconds = field.seconds[1] - field.seconds[0];
    for (std::size_t t = 1; t < field.seconds.size(); ++t) {
      if (field.seconds[t] - field.seconds[t - 1] == data_.step_seconds) {
        continue;
      }
      return DataError(config_.path,
                       ": expected times at even distances, got ",
                       field.TimeName(t - 1),
                       " and then ",
                       field.TimeName(t),
                       ": choose periods without a gap");
    }
    const Shape& shape = field.values.shape();
    const Shape full({times,
                      static_cast<std::int64_t>(config_.channels.size()),
                      shape[1],
                      shape[2]});
    data_.values = Tensor::Zeros(full);
    data_.mask = Tensor::Zeros(full, DType::kU8);
    GYRE_ASSIGN_OR_RETURN(data_.train, SpanOf("train", train_));
    if (config_.validation.has_value()) {
      GYRE_ASSIGN_OR_RETURN(data_.validation,
                            SpanOf("validation", validation_));
    }
    if (config_.test.has_value()) {
      GYRE_ASSIGN_OR_RETURN(data_.test, SpanOf("test", test_));
    }
    return OkStatus();
  }

  StatusOr<TimeSpan> SpanOf(const char* name, const Seconds& period) const {
    const auto& seconds = data_.seconds;
    const auto first =
        std::lower_bound(seconds.begin(), seconds.end(), period.first);
    const auto end = std::upper_bound(first, seconds.end(), period.last);
    if (first == end) {
      return DataError(config_.path,
                       ": the period ",
                       name,
                       " has no times: the files have ",
                       IsoTime(data_.calendar, seconds.front()),
                       " to ",
                       IsoTime(data_.calendar, seconds.back()));
    }
    return TimeSpan{first - seconds.begin(), end - seconds.begin()};
  }

  Status CheckSame(const ChannelConfig& channel, const CfField& field) const {
    const auto differ = [&](const char* what) {
      return DataError("channel ",
                       channel.name,
                       ": its ",
                       what,
                       " differ from those of channel ",
                       data_.channels[0],
                       ": bring both onto one grid and the same times");
    };
    const auto near = [](double a, double b) {
      return std::abs(a - b) <= kSameGrid;
    };
    const auto same = [&](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), near);
    };
    if (!same(field.lat, data_.lat)) return differ("latitudes");
    if (!same(field.lon, data_.lon)) return differ("longitudes");
    if (field.seconds != data_.seconds || field.calendar != data_.calendar) {
      return differ("times");
    }
    return OkStatus();
  }

  Status CheckRange(const ChannelConfig& channel, const CfField& field) const {
    const auto values = field.values.data<float>();
    const auto mask = field.mask.data<std::uint8_t>();
    const std::size_t cells = field.lat.size() * field.lon.size();
    const bool unbounded =
        std::isinf(channel.lowest) && std::isinf(channel.highest);
    for (std::size_t i = 0; i < values.size() && !unbounded; ++i) {
      if (mask[i] == 0 ||
          (values[i] >= channel.lowest && values[i] <= channel.highest)) {
        continue;
      }
      return DataError("channel ",
                       channel.name,
                       ": expected values from ",
                       channel.lowest,
                       " to ",
                       channel.highest,
                       " ",
                       field.units,
                       ", got ",
                       values[i],
                       " at ",
                       field.TimeName(i / cells),
                       ", latitude ",
                       field.lat[i % cells / field.lon.size()],
                       ", longitude ",
                       field.lon[i % field.lon.size()],
                       ": correct units, or range in the configuration");
    }
    return OkStatus();
  }

  void CopyIn(const CfField& field, std::size_t c) {
    const std::size_t cells = field.lat.size() * field.lon.size();
    const std::size_t channels = config_.channels.size();
    for (std::size_t t = 0; t < field.seconds.size(); ++t) {
      const auto from = static_cast<std::ptrdiff_t>(t * cells);
      const auto to = static_cast<std::ptrdiff_t>((t * channels + c) * cells);
      std::copy_n(field.values.data<float>().begin() + from,
                  cells,
                  data_.values.data<float>().begin() + to);
      std::copy_n(field.mask.data<std::uint8_t>().begin() + from,
                  cells,
                  data_.mask.data<std::uint8_t>().begin() + to);
    }
  }

  const DatasetConfig& config_;
  GriddedData data_;
  Seconds train_, validation_, test_;
  std::int64_t first_time_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace

StatusOr<GriddedData> LoadDataset(const DatasetConfig& config) {
  return DatasetLoader(config).Load();
}

}  // namespace gyre

// Forecasts as a CF NetCDF-4 file that others read: xarray, ncview, cdo.
//
//   GYRE_ASSIGN_OR_RETURN(
//       auto file, ForecastFile::Create("forecasts.nc", layout));
//   GYRE_RETURN_IF_ERROR(file->Append(forecasts, mask, initial_seconds));
//   GYRE_RETURN_IF_ERROR(file->Finish());
//
// Each channel is a variable (time, lat, lon) in f32 with its unit; `time` is
// the time that a forecast is valid for, `forecast_reference_time` the one that
// it starts from, `lead_time` the distance of both. What is missing is the
// declared _FillValue.
//
// It is written beside and renamed by Finish: a crash leaves the old file or
// none, never half.

#ifndef GYRE_DATA_NETCDF_FORECAST_FILE_H_
#define GYRE_DATA_NETCDF_FORECAST_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/data/time/calendar.h"

namespace gyre::internal::inline data {

struct ForecastChannel {
  std::string name;
  std::string units;
  std::string standard_name;  // "" for none
  std::string long_name;      // "" for none
};

struct ForecastLayout {
  std::vector<ForecastChannel> channels;
  std::vector<double> lat;  // degrees north
  std::vector<double> lon;  // degrees east
  Calendar calendar = Calendar::kStandard;
  std::int64_t lead_seconds = 0;
  // Of the whole file: its title, the run that made it.
  std::vector<std::pair<std::string, std::string>> attributes;
};

class ForecastFile {
 public:
  // A data error where the folder cannot be written.
  static StatusOr<std::unique_ptr<ForecastFile>> Create(
      const std::string& path, const ForecastLayout& layout);
  ForecastFile(const ForecastFile&) = delete;
  ForecastFile& operator=(const ForecastFile&) = delete;
  ~ForecastFile();  // unfinished: takes what is written away

  // `values` (time, channel, lat, lon) in f32; `mask` likewise in u8, 0 where
  // missing; `starts` in seconds since 1970-01-01, one for each time. What was
  // appended is on the disk when it returns.
  Status Append(const Tensor& values,
                const Tensor& mask,
                std::span<const std::int64_t> starts);

  Status Finish();

 private:
  ForecastFile(std::string path, const ForecastLayout& layout)
      : path_(std::move(path)), layout_(layout) {}

  std::string partial() const { return path_ + ".partial"; }
  Status Define();
  Status PutTimes(std::span<const std::int64_t> starts);
  Status PutChannel(std::size_t channel,
                    const Tensor& values,
                    const Tensor& mask);
  Status Check(int code) const;

  std::string path_;
  ForecastLayout layout_;
  int file_ = -1;
  std::size_t times_ = 0;
};

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_NETCDF_FORECAST_FILE_H_

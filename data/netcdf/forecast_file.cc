#include "gyre/data/netcdf/forecast_file.h"

#include <netcdf.h>

#include <cstdio>
#include <filesystem>

#include "gyre/data/netcdf/library.h"

namespace gyre::internal::inline data {
namespace {

constexpr char kEpoch[] = "seconds since 1970-01-01 00:00:00";

// Defines variables, and keeps the first error.
class Definer {
 public:
  explicit Definer(int file) : file_(file) {}

  int Dimension(const char* name, std::size_t size) {
    int id = -1;
    Keep(nc_def_dim(file_, name, size, &id));
    return id;
  }
  int Variable(const char* name, nc_type type, const std::vector<int>& dims) {
    int id = -1;
    Keep(nc_def_var(
        file_, name, type, static_cast<int>(dims.size()), dims.data(), &id));
    return id;
  }
  void Text(int variable, const std::string& name, const std::string& text) {
    if (text.empty()) return;
    Keep(nc_put_att_text(
        file_, variable, name.c_str(), text.size(), text.data()));
  }
  void Texts(
      int variable,
      std::initializer_list<std::pair<const char*, std::string_view>> texts) {
    for (const auto& [name, text] : texts) {
      Text(variable, name, std::string(text));
    }
  }
  void Fill(int variable) {
    const float fill = NC_FILL_FLOAT;
    Keep(nc_put_att_float(file_, variable, "_FillValue", NC_FLOAT, 1, &fill));
  }
  int code() const { return code_; }

 private:
  void Keep(int code) {
    if (code_ == NC_NOERR) code_ = code;
  }

  int file_;
  int code_ = NC_NOERR;
};

int VariableOf(int file, const std::string& name) {
  int id = -1;
  nc_inq_varid(file, name.c_str(), &id);
  return id;
}

}  // namespace

StatusOr<std::unique_ptr<ForecastFile>> ForecastFile::Create(
    const std::string& path, const ForecastLayout& layout) {
  std::unique_ptr<ForecastFile> file(new ForecastFile(path, layout));
  const InNetcdf lock;
  GYRE_RETURN_IF_ERROR(file->Check(nc_create(
      file->partial().c_str(), NC_NETCDF4 | NC_CLOBBER, &file->file_)));
  GYRE_RETURN_IF_ERROR(file->Define());
  return file;
}

ForecastFile::~ForecastFile() {
  if (file_ < 0) return;
  const InNetcdf lock;
  nc_close(file_);
  std::remove(partial().c_str());
}

Status ForecastFile::Check(int code) const {
  if (code == NC_NOERR) return OkStatus();
  return DataError(path_,
                   ": cannot be written: ",
                   nc_strerror(code),
                   ": check the folder, its permissions and the space");
}

Status ForecastFile::Define() {
  Definer define(file_);
  const int time = define.Dimension("time", NC_UNLIMITED);
  const int lat = define.Dimension("lat", layout_.lat.size());
  const int lon = define.Dimension("lon", layout_.lon.size());
  const std::string_view calendar = Name(layout_.calendar);
  define.Texts(define.Variable("time", NC_INT64, {time}),
               {{"standard_name", "time"},
                {"long_name", "time that the forecast is valid for"},
                {"axis", "T"},
                {"units", kEpoch},
                {"calendar", calendar}});
  define.Texts(define.Variable("forecast_reference_time", NC_INT64, {time}),
               {{"standard_name", "forecast_reference_time"},
                {"long_name", "time that the forecast starts from"},
                {"units", kEpoch},
                {"calendar", calendar}});
  define.Texts(define.Variable("lead_time", NC_DOUBLE, {}),
               {{"standard_name", "forecast_period"}, {"units", "hours"}});
  define.Texts(define.Variable("lat", NC_DOUBLE, {lat}),
               {{"standard_name", "latitude"},
                {"axis", "Y"},
                {"units", "degrees_north"}});
  define.Texts(define.Variable("lon", NC_DOUBLE, {lon}),
               {{"standard_name", "longitude"},
                {"axis", "X"},
                {"units", "degrees_east"}});
  for (const ForecastChannel& channel : layout_.channels) {
    const int id =
        define.Variable(channel.name.c_str(), NC_FLOAT, {time, lat, lon});
    define.Texts(id,
                 {{"units", channel.units},
                  {"standard_name", channel.standard_name},
                  {"long_name", channel.long_name},
                  {"coordinates", "forecast_reference_time lead_time"}});
    define.Fill(id);
  }
  define.Text(NC_GLOBAL, "Conventions", "CF-1.10");
  for (const auto& [name, text] : layout_.attributes) {
    define.Text(NC_GLOBAL, name, text);
  }
  GYRE_RETURN_IF_ERROR(Check(define.code()));
  GYRE_RETURN_IF_ERROR(Check(nc_enddef(file_)));
  const double hours = static_cast<double>(layout_.lead_seconds) / 3600;
  GYRE_RETURN_IF_ERROR(
      Check(nc_put_var_double(file_, VariableOf(file_, "lead_time"), &hours)));
  GYRE_RETURN_IF_ERROR(Check(
      nc_put_var_double(file_, VariableOf(file_, "lat"), layout_.lat.data())));
  return Check(
      nc_put_var_double(file_, VariableOf(file_, "lon"), layout_.lon.data()));
}

Status ForecastFile::PutTimes(std::span<const std::int64_t> starts) {
  std::vector<long long> from(starts.begin(), starts.end());
  std::vector<long long> valid = from;
  for (long long& second : valid) second += layout_.lead_seconds;
  const std::size_t start = times_, count = starts.size();
  GYRE_RETURN_IF_ERROR(Check(nc_put_vara_longlong(
      file_, VariableOf(file_, "time"), &start, &count, valid.data())));
  return Check(
      nc_put_vara_longlong(file_,
                           VariableOf(file_, "forecast_reference_time"),
                           &start,
                           &count,
                           from.data()));
}

Status ForecastFile::PutChannel(std::size_t channel,
                                const Tensor& values,
                                const Tensor& mask) {
  const Shape& shape = values.shape();
  const auto cells = static_cast<std::size_t>(shape[2] * shape[3]);
  const int id = VariableOf(file_, layout_.channels[channel].name);
  std::vector<float> field(cells);
  for (std::size_t t = 0; t < static_cast<std::size_t>(shape[0]); ++t) {
    const std::size_t at = (t * layout_.channels.size() + channel) * cells;
    for (std::size_t i = 0; i < cells; ++i) {
      field[i] = mask.data<std::uint8_t>()[at + i] == 1
                     ? values.data<float>()[at + i]
                     : NC_FILL_FLOAT;
    }
    const std::size_t start[] = {times_ + t, 0, 0};
    const std::size_t count[] = {1, layout_.lat.size(), layout_.lon.size()};
    GYRE_RETURN_IF_ERROR(
        Check(nc_put_vara_float(file_, id, start, count, field.data())));
  }
  return OkStatus();
}

Status ForecastFile::Append(const Tensor& values,
                            const Tensor& mask,
                            std::span<const std::int64_t> starts) {
  const Shape wanted({static_cast<std::int64_t>(starts.size()),
                      static_cast<std::int64_t>(layout_.channels.size()),
                      static_cast<std::int64_t>(layout_.lat.size()),
                      static_cast<std::int64_t>(layout_.lon.size())});
  if (values.shape() != wanted || mask.shape() != wanted) {
    return ConfigError(path_,
                       ": expected forecasts (time, channel, lat, lon) = ",
                       wanted,
                       ", got values ",
                       values.shape(),
                       " and mask ",
                       mask.shape());
  }
  const InNetcdf lock;
  GYRE_RETURN_IF_ERROR(PutTimes(starts));
  for (std::size_t c = 0; c < layout_.channels.size(); ++c) {
    GYRE_RETURN_IF_ERROR(PutChannel(c, values, mask));
  }
  times_ += starts.size();
  return Check(nc_sync(file_));
}

Status ForecastFile::Finish() {
  const InNetcdf lock;
  const int code = nc_close(file_);
  file_ = -1;
  GYRE_RETURN_IF_ERROR(Check(code));
  std::error_code error;
  std::filesystem::rename(partial(), path_, error);
  if (!error) return OkStatus();
  return DataError(path_, ": cannot be written: ", error.message());
}

}  // namespace gyre::internal::inline data

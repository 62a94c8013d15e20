// A small CF file, to be encoded in many ways: temperature at 4 times on a grid
// of 3 x 4, each number its own, one of them missing.

#ifndef GYRE_TESTS_DATA_CF_FILE_H_
#define GYRE_TESTS_DATA_CF_FILE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/data/netcdf_writer.h"

namespace gyre::internal::inline tests {

struct CfFile {
  int mode = NC_NETCDF4;
  std::vector<std::string> dims = {"time", "lat", "lon"};
  std::vector<double> times = {0, 6, 12, 18};
  std::string time_units = "hours since 1996-01-05 00:00";
  std::string calendar = {};
  nc_type time_type = NC_DOUBLE;
  std::vector<double> lat = {20, 30, 40};
  std::vector<double> lon = {-140, -130, -120, -110};
  std::string lat_units = "degrees_north";
  std::string lon_units = "degrees_east";
  nc_type place_type = NC_DOUBLE;
  nc_type type = NC_FLOAT;
  std::string units = "K";
  double fill = -9999;
  bool declares_fill = true;
  std::function<double(double)> encode = [](double x) { return x; };
  std::map<std::string, std::pair<nc_type, std::vector<double>>> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::function<void(NetcdfWriter&)> more = [](NetcdfWriter&) {};

  static double Value(std::size_t t, std::size_t i, std::size_t j) {
    return 250.0 + static_cast<double>(t * 12 + i * 4 + j);
  }
  static bool Missing(std::size_t t, std::size_t i, std::size_t j) {
    return t == 1 && i == 2 && j == 0;
  }
};

// The value is that of the time, latitude and longitude of the defaults that
// are nearest to what the axes of `file` say: `place[k]` gives for each axis
// its positions in the defaults.
inline void WriteCf(const std::string& path,
                    const CfFile& file,
                    std::map<std::string, std::vector<std::size_t>> place) {
  NetcdfWriter writer(path, file.mode);
  const std::map<std::string, std::size_t> sizes = {{"time", file.times.size()},
                                                    {"lat", file.lat.size()},
                                                    {"lon", file.lon.size()},
                                                    {"level", 1}};
  for (const std::string& dim : file.dims) {
    writer.Dimension(dim, sizes.at(dim));
    for (std::size_t i = place[dim].size(); i < sizes.at(dim); ++i) {
      place[dim].push_back(i);
    }
  }
  writer.Variable("t", file.type, file.dims);
  writer.Variable("time", file.time_type, {"time"});
  writer.Variable("lat", file.place_type, {"lat"});
  writer.Variable("lon", file.place_type, {"lon"});
  const auto text =
      [&](const char* name, const char* attribute, const std::string& value) {
        if (!value.empty()) writer.TextAttribute(name, attribute, value);
      };
  text("time", "units", file.time_units);
  text("time", "calendar", file.calendar);
  text("lat", "units", file.lat_units);
  text("lon", "units", file.lon_units);
  text("t", "units", file.units);
  if (file.declares_fill) {
    writer.Attribute("t", "_FillValue", file.type, {file.fill});
  }
  for (const auto& [name, number] : file.numbers) {
    writer.Attribute("t", name, number.first, number.second);
  }
  for (const auto& [name, value] : file.texts) text("t", name.c_str(), value);
  file.more(writer);
  writer.Put("time", file.times);
  writer.Put("lat", file.lat);
  writer.Put("lon", file.lon);
  std::vector<double> values;
  std::map<std::string, std::size_t> at;
  const std::function<void(std::size_t)> fill = [&](std::size_t k) {
    if (k == file.dims.size()) {
      const std::size_t t = place["time"][at["time"]];
      const std::size_t i = place["lat"][at["lat"]];
      const std::size_t j = place["lon"][at["lon"]];
      values.push_back(CfFile::Missing(t, i, j)
                           ? file.fill
                           : file.encode(CfFile::Value(t, i, j)));
      return;
    }
    const std::string& dim = file.dims[k];
    for (std::size_t n = 0; n < sizes.at(dim); ++n) {
      at[dim] = n;
      fill(k + 1);
    }
  };
  fill(0);
  writer.Put("t", values);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_DATA_CF_FILE_H_

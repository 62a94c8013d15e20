#include "gyre/data/cf/field.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gyre/core/io/file.h"
#include "gyre/data/cf/field_reader.h"
#include "gyre/data/netcdf/netcdf_file.h"
#include "gyre/data/zarr/zarr_store.h"

namespace gyre::internal::inline data {
namespace {

// Degrees that two files may differ by: coordinates in f32 and in f64.
constexpr double kSamePlace = 1e-4;

Status CheckPlaces(const std::string& path,
                   const std::string& first,
                   std::string_view axis,
                   const std::vector<double>& got,
                   const std::vector<double>& expected) {
  const auto differ = [&](const auto&... parts) {
    return DataError(
        path, ": its grid differs from that of ", first, ": ", parts...);
  };
  if (got.size() != expected.size()) {
    return differ("expected ",
                  expected.size(),
                  " values of ",
                  axis,
                  ", got ",
                  got.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) > kSamePlace) {
      return differ(
          "expected ", axis, "[", i, "] = ", expected[i], ", got ", got[i]);
    }
  }
  return OkStatus();
}

// The times of all parts, sorted; errors where two have the same.
struct Place {
  std::int64_t second;
  std::size_t part;
  std::size_t index;
};

StatusOr<std::vector<Place>> SortTimes(const std::vector<CfField>& parts,
                                       const std::vector<std::string>& paths) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t t = 0; t < parts[p].seconds.size(); ++t) {
      places.push_back({parts[p].seconds[t], p, t});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.second < b.second;
  });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].second != places[i - 1].second) continue;
    return DataError("the time ",
                     IsoTime(parts[0].calendar, places[i].second),
                     " is in ",
                     paths[places[i - 1].part],
                     " and in ",
                     paths[places[i].part],
                     ": leave one of them out");
  }
  return places;
}

StatusOr<CfField> JoinAlongTime(std::vector<CfField> parts,
                                const std::vector<std::string>& paths) {
  if (parts.size() == 1) return std::move(parts[0]);
  CfField joined = parts[0];
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const CfField& part = parts[p];
    GYRE_RETURN_IF_ERROR(
        CheckPlaces(paths[p], paths[0], "latitude", part.lat, joined.lat));
    GYRE_RETURN_IF_ERROR(
        CheckPlaces(paths[p], paths[0], "longitude", part.lon, joined.lon));
    if (part.calendar != joined.calendar || part.units != joined.units) {
      return DataError(paths[p],
                       ": calendar ",
                       Name(part.calendar),
                       " and unit \"",
                       part.units,
                       "\" differ from those of ",
                       paths[0],
                       ": name the unit that you want");
    }
    joined.notes.insert(
        joined.notes.end(), part.notes.begin(), part.notes.end());
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<Place> places,
                        SortTimes(parts, paths));
  const std::int64_t cells =
      static_cast<std::int64_t>(joined.lat.size() * joined.lon.size());
  const auto n = static_cast<std::int64_t>(places.size());
  const Shape shape({n,
                     static_cast<std::int64_t>(joined.lat.size()),
                     static_cast<std::int64_t>(joined.lon.size())});
  joined.values = Tensor::Zeros(shape);
  joined.mask = Tensor::Zeros(shape, DType::kU8);
  joined.seconds.clear();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CfField& part = parts[places[i].part];
    const auto from = static_cast<std::int64_t>(places[i].index) * cells;
    const auto to = static_cast<std::int64_t>(i) * cells;
    std::copy_n(part.values.data<float>().begin() + from,
                cells,
                joined.values.data<float>().begin() + to);
    std::copy_n(part.mask.data<std::uint8_t>().begin() + from,
                cells,
                joined.mask.data<std::uint8_t>().begin() + to);
    joined.seconds.push_back(places[i].second);
  }
  return joined;
}

}  // namespace

StatusOr<std::unique_ptr<ScienceFile>> OpenScienceFile(
    const std::string& path) {
  if (DirectoryExists(path) && IsZarr(path)) return OpenZarr(path);
  return OpenNetcdf(path);
}

StatusOr<CfField> ReadCfField(const std::vector<std::string>& paths,
                              const CfRequest& request) {
  if (paths.empty()) return DataError("expected one file or more, got none");
  std::vector<CfField> parts;
  for (const std::string& path : paths) {
    GYRE_ASSIGN_OR_RETURN(const auto file, OpenScienceFile(path));
    GYRE_ASSIGN_OR_RETURN(CfField part, FieldReader(*file, request).Read());
    parts.push_back(std::move(part));
  }
  return JoinAlongTime(std::move(parts), paths);
}

}  // namespace gyre::internal::inline data

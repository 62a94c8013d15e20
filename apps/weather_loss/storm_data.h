// The storm of January 1996: six-hourly fields over North America from
// UCAR/NCAR's NCL example data, in Debian's package libncarg-data.
//
//   GYRE_ASSIGN_OR_RETURN(const Fields fields, LoadStormData(kStormFolder));
//
// Six classic NetCDF files, {P,T,U,V,U500,V500}storm.cdf, with one variable
// (timestep, lat, lon) each; those of U500 and V500 are called u and v, too.
// 64 steps from 1996-01-05T00Z, 33 x 36 cells, 20 to 60 N by 1.25, 140 to
// 52.5 W by 2.5. Missing (-9999): 224 cells in the corners of every field,
// and as a whole t at step 17, v at 17 and 37, v500 at 36.

#ifndef GYRE_APPS_WEATHER_LOSS_STORM_DATA_H_
#define GYRE_APPS_WEATHER_LOSS_STORM_DATA_H_

#include <string>

#include "apps/weather_loss/fields.h"
#include "gyre/core/status.h"

namespace gyre::weather {

inline constexpr char kStormFolder[] = "/usr/share/ncarg/data/cdf";

// Any folder with six such files on one grid will do, in whatever units, order,
// packing and calendar CF knows (data/cf/field.h). Data errors: the folder or a
// file is missing or damaged; a grid that differs from the first file's; times
// that are not evenly spaced; values that cannot be in Pa, K or m/s (a unit or
// a fill value that the file does not declare).
StatusOr<Fields> LoadStormData(const std::string& folder);

// What the flag --data says: "" for kStormFolder, "synthetic",
// "synthetic:256" for a series of so many steps, a configuration
// (configured_data.h), or a folder.
StatusOr<Fields> LoadFields(const std::string& data, std::uint64_t seed = 0);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_STORM_DATA_H_

// Scientific files as training data: NetCDF and Zarr, by a configuration.
//
//   GYRE_ASSIGN_OR_RETURN(const DatasetConfig config,
//                         ReadDatasetConfig("era5.toml"));
//   GYRE_ASSIGN_OR_RETURN(const GriddedData data, LoadDataset(config));
//   for (const std::string& note : data.notes) std::cerr << note << "\n";
//
// docs/data.md says what of a file is obeyed and what is refused. Link
// gyre::data.

#ifndef GYRE_FILES_H_
#define GYRE_FILES_H_

#include "gyre/data/dataset/dataset.h"
#include "gyre/data/dataset/dataset_config.h"
#include "gyre/data/dataset/statistics.h"

#endif  // GYRE_FILES_H_

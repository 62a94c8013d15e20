// TOML, the format of configuration files, as the JSON values that the rest of
// Gyre reads.
//
//   GYRE_ASSIGN_OR_RETURN(const Json config, ReadToml("storm.toml"));

#ifndef GYRE_DATA_DATASET_TOML_H_
#define GYRE_DATA_DATASET_TOML_H_

#include <string>
#include <string_view>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline data {

// Dates and times become their text. Config errors: the syntax, with its line
// and column; numbers that are not finite. `what` names the text.
StatusOr<Json> ParseToml(std::string_view text, const std::string& what);

StatusOr<Json> ReadToml(const std::string& path);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_DATASET_TOML_H_

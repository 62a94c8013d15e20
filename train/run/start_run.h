// Begins a run's records, on all ranks together.

#ifndef GYRE_TRAIN_RUN_START_RUN_H_
#define GYRE_TRAIN_RUN_START_RUN_H_

#include <string>

#include "gyre/mesh/mesh.h"
#include "gyre/monitor/run_directory.h"

namespace gyre {

// The run directory at `path`. A run that is there already is renamed to
// path.1, unless this one goes on from it (`resume` names it or a checkpoint
// in it). Its run.json says from here on which program this is and how it was
// started. Collective: all ranks return when it is there, or all with the
// error, which may be that they were given different paths.
StatusOr<RunDirectory> StartRun(const Mesh& mesh,
                                const std::string& path,
                                const std::string& resume = "");

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_START_RUN_H_

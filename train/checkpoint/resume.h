// Where a run begins: anew, from a checkpoint that the user named, or, when
// its launcher has started it again, from where it was.
//
//   GYRE_ASSIGN_OR_RETURN(const std::string from,
//                         ResumePoint(mesh, out, resume));
//   if (!from.empty()) {
//     GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
//   }
//   GYRE_ASSIGN_OR_RETURN(const RunDirectory run, StartRun(mesh, out, from));
//
// `gyre launch --max-restarts` tells a program by GYRE_RESTART that it runs
// for the second time or later, torchrun by TORCHELASTIC_RESTART_COUNT, Slurm,
// for a job that was put back into the queue, by SLURM_RESTART_COUNT.

#ifndef GYRE_TRAIN_CHECKPOINT_RESUME_H_
#define GYRE_TRAIN_CHECKPOINT_RESUME_H_

#include <string>

#include "gyre/core/status.h"
#include "gyre/mesh/mesh.h"

namespace gyre {

// The checkpoint that was written last in the run directory `path` that is good
// and whole: its manifest says so, and every tensor has the hash that stands
// there. "" when there is none. A damaged one is passed over, with a warning.
StatusOr<std::string> NewestGoodCheckpoint(const std::string& path);

// `resume`, unless this is a restart (one of those above 0) and the run
// directory `out` has a good checkpoint: then that one. In a rewound run
// (train/replay/rewind.h), what gyre rewind says. Collective: rank 0 looks, and
// all ranks go on from what it has found.
StatusOr<std::string> ResumePoint(const Mesh& mesh,
                                  const std::string& out,
                                  const std::string& resume);

}  // namespace gyre

#endif  // GYRE_TRAIN_CHECKPOINT_RESUME_H_

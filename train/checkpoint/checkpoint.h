// A training state on disk, complete or not there.
//
//   checkpoints/step-00000100/
//     state-00000.safetensors    params/NAME, state/0.m/NAME, ...
//     manifest.json              counters, hashes, what it belongs to
//
// It is taken in two halves: Snapshot copies the state, while no step runs;
// WriteCheckpoint hashes and writes the copy, while training goes on
// (train/checkpoint/checkpoint_writer.h). The folder gets its name when all of
// it is on the disk. Every tensor's hash stands in the manifest and is checked
// on the way back in, so a checkpoint is loaded to the bit or refused; nothing
// is ever repaired. A state with a number that is not finite, or of an
// unguarded run, is saved but never called good
// (train/checkpoint/checkpoint_rotation.h).
//
// Tensors are whole, whatever the mesh: another number of ranks loads them.

#ifndef GYRE_TRAIN_CHECKPOINT_CHECKPOINT_H_
#define GYRE_TRAIN_CHECKPOINT_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {
struct StateView;  // train/step/train_state.h
}  // namespace gyre::internal::inline train

namespace gyre {

// The state before step `next_step`, on the host.
struct CheckpointSnapshot {
  std::int64_t next_step = 0;
  bool unguarded = false;
  internal::TensorsByName tensors;  // on rank 0 alone
  Json manifest = Json::Object();
  // Of others, under their own names ("detector"): kept as "carried" in the
  // manifest, and handed back by TrainState::resumed() after LoadCheckpoint.
  Json carried = Json::Object();
  // Names of links that shall point to it beside "latest", if it is good.
  std::vector<std::string> links = {};
};

struct CheckpointInfo {
  std::string path;
  std::int64_t step = 0;
  bool good = false;       // finite, and of a guarded run
  std::string not_finite;  // the first tensor that is not; empty: none
  std::size_t bytes = 0;   // of all tensors
  double seconds = 0;      // that writing took
};

// The only place that knows how a step keeps its state. Collective.
StatusOr<CheckpointSnapshot> Snapshot(const TrainStep& step,
                                      const internal::StateView& state);
// Of the current state.
StatusOr<CheckpointSnapshot> Snapshot(const TrainStep& step);

// Which samples come next, so that a resume can tell whether the data come in
// the same order: {"step", "first": [ids of the first rank's, at most 16]}.
Json DataCursor(const BatchSource& source, std::int64_t step);
// As far as both tell: the first rank of fewer has more samples.
bool SameSamples(const Json& a, const Json& b);

// Writes it and points the links to it; one rank does this. On an error the
// checkpoints that are there are untouched, and nothing is left beside them.
StatusOr<CheckpointInfo> WriteCheckpoint(const CheckpointSnapshot& snapshot,
                                         const RunDirectory& run);

// Both, on rank 0; the others give their part. Collective: all ranks return
// when the checkpoint and its links are in place, with what became of it, or
// all with the error.
StatusOr<CheckpointInfo> SaveCheckpoint(const TrainStep& step,
                                        const RunDirectory& run);

// For a folder that is more than a checkpoint: writes the state's files, and
// gives the manifest that belongs to them, which the caller adds to and writes
// last. Other files add their names to "files", their tensors to "hashes".
// Collective: rank 0 writes, and the manifest of the others is null. All ranks
// return when the files are there, or all with the error.
StatusOr<Json> WriteState(const TrainStep& step,
                          const internal::StateView& state,
                          const std::string& folder);
// Puts what WriteState has written into a step. Collective. Errors as of
// LoadCheckpoint.
Status ReadState(const std::string& folder, TrainStep& step);

// Puts a checkpoint's state into a step compiled from the same model and
// optimizer. `path` is a checkpoint or a run directory, of which the latest
// is taken. Other settings of the optimizer (a longer schedule) and another
// mesh are allowed, and stand in step.state().resumed(). Collective: all ranks
// load the same state or none does. Errors, the same on all ranks: of kind
// checkpoint, nothing there, a damaged file, a tensor that is missing or has
// another shape; of kind mismatch, ranks that have read different checkpoints
// (train/checkpoint/same_checkpoint.h).
Status LoadCheckpoint(const std::string& path, TrainStep& step);

}  // namespace gyre

#endif  // GYRE_TRAIN_CHECKPOINT_CHECKPOINT_H_

// A training state on disk, complete or not there.
//
//   checkpoints/step-00000100/
//     state-00000.safetensors    params/NAME, state/0.m/NAME, ...
//     manifest.json              counters, hashes, what it belongs to
//
// The manifest is written last: a folder without one is no checkpoint. Every
// tensor's hash stands in it and is checked on the way back in, so a
// checkpoint is loaded to the bit or refused; nothing is ever repaired.
// A state with a number that is not finite, or of an unguarded run, is saved
// but never called good: `last-good` points to the newest that is.

#ifndef GYRE_TRAIN_CHECKPOINT_H_
#define GYRE_TRAIN_CHECKPOINT_H_

#include <cstdint>
#include <string>

#include "core/io/json.h"
#include "core/status.h"
#include "monitor/run_directory.h"
#include "train/train_step.h"

namespace gyre {

struct CheckpointInfo {
  std::string path;
  bool good = false;  // finite, and of a guarded run
};

// A training state that a step holds: the current one, or the one before its
// last step.
struct SavedState {
  const StateBank& bank;
  const optim::GuardState& guard;
  std::int64_t next_step = 0;
};

// Its file in `folder`, and the manifest that belongs to it, which the caller
// adds to and writes last. Other files of the folder (train/capture.h) add
// their names to "files" and their tensors to "hashes". Collective: rank 0
// writes, and the manifest of the others is null.
StatusOr<Json> WriteState(const TrainStep& step,
                          const SavedState& state,
                          const std::string& folder);

// Puts the state that WriteState has written into a step. Errors as those of
// LoadCheckpoint.
Status ReadState(const std::string& folder, TrainStep& step);

// Writes the state before step.next_step() and points `latest` (and
// `last-good`) to it. One rank does this; parameters are the same on all.
StatusOr<CheckpointInfo> SaveCheckpoint(const TrainStep& step,
                                        const RunDirectory& run);

// Puts a checkpoint's state into a step compiled from the same model and
// optimizer. `path` is a checkpoint or a run directory, of which the latest
// is taken. Other settings of the optimizer (a longer schedule) are allowed,
// with a warning. Errors, all of kind checkpoint: nothing there, a damaged
// file, a tensor that is missing or has another shape.
Status LoadCheckpoint(const std::string& path, TrainStep& step);

}  // namespace gyre

#endif  // GYRE_TRAIN_CHECKPOINT_H_

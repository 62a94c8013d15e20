// What becomes of a checkpoint once it is written: its name, the links to it,
// and which older ones go.
//
//   latest      the newest
//   last-good   the newest that is finite, of a guarded run
//   first-bad   the first that is not: evidence, and never loaded by itself
//   best, ...   what a hook has asked for (train/run/run_hook.h), good ones
//   alone
//
// The newest `keep` stay, and what a link points to.

#ifndef GYRE_TRAIN_CHECKPOINT_CHECKPOINT_ROTATION_H_
#define GYRE_TRAIN_CHECKPOINT_CHECKPOINT_ROTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline train {

// A folder beside the checkpoints that no reader takes for one.
std::string PartialFolder(const std::string& checkpoints,
                          const std::string& name);

void RemovePartial(const std::string& folder);

// Gives a folder that is whole its name `name`, in place of one of that name,
// and points the links to it; those in `links`, too, if it is good.
Status PublishCheckpoint(const std::string& checkpoints,
                         const std::string& partial,
                         const std::string& name,
                         bool good,
                         const std::vector<std::string>& links = {});

// Removes the oldest ones (keep 0: none), and what a run that was killed has
// left half written. What cannot be removed is a warning.
Status RotateCheckpoints(const std::string& checkpoints, std::int64_t keep);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_CHECKPOINT_ROTATION_H_

// The guard's memory as it stands in a checkpoint's manifest.

#ifndef GYRE_TRAIN_CHECKPOINT_GUARD_JSON_H_
#define GYRE_TRAIN_CHECKPOINT_GUARD_JSON_H_

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/optim/guard.h"

namespace gyre::internal::inline train {

Json GuardStateJson(const optim::GuardState& guard);
// Errors: a number is missing or cannot be. Skips, norms and the loss scale
// may be missing: they then begin anew.
StatusOr<optim::GuardState> GuardStateFrom(const Json& json);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_GUARD_JSON_H_

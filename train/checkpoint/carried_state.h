// A small state of others that a checkpoint keeps, under a name of its own:
// of a spike detector, of a schedule that the program steers by hand.
//
//   LoopOptions options;
//   options.carried.push_back({"detector",
//       [&] { return detector.ToJson(); },
//       [&](const Json& json) { return detector.Load(json); }});
//
// `save` is called on rank 0 when a checkpoint is taken; `load` on every rank
// before the first step of a run that goes on from one that has the name.

#ifndef GYRE_TRAIN_CHECKPOINT_CARRIED_STATE_H_
#define GYRE_TRAIN_CHECKPOINT_CARRIED_STATE_H_

#include <functional>
#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre {

struct CarriedState {
  std::string name;
  std::function<Json()> save;
  std::function<Status(const Json&)> load;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_CHECKPOINT_CARRIED_STATE_H_

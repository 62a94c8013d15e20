// Have all ranks read the same checkpoint? Asked before it is put in place:
// ranks that go on from different ones are wrong without a word where no
// training step compares them, in an evaluation.

#ifndef GYRE_TRAIN_CHECKPOINT_SAME_CHECKPOINT_H_
#define GYRE_TRAIN_CHECKPOINT_SAME_CHECKPOINT_H_

#include <cstdint>
#include <string>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline train {

// A checkpoint that a rank has read, and whose tensors have the hashes that
// stand in its manifest.
struct CheckpointRead {
  std::string folder = {};
  std::int64_t next_step = 0;
  std::uint64_t hash = 0;  // HashOfState
};

// Of all that a checkpoint puts in place: tensors, counters, what others
// carry. When it was written does not count.
std::uint64_t HashOfState(const Json& manifest);

// Collective. Error, of kind mismatch and on all ranks: "rank 1 read step 50,
// rank 0 step 100".
Status AgreeOnCheckpoint(const CheckpointRead& mine, Communicator& world);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_SAME_CHECKPOINT_H_

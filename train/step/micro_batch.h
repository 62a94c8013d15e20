// A step in several parts: gradients of micro-batches, added up.
//
// Every rank's batch is cut along its first axis into equal micro-batches. The
// plan runs once for each; its last operations add the gradient to a sum, and
// only after the last one reduce it, judge it and update. The gradient is the
// mean over the micro-batches that were accepted.
//
// Each is judged alone, by all ranks together, right after its backward pass:
// the ranks exchange their notes in a barrier, and a bad one is left out on
// all of them (skip), repaired (zero), taken without the bad ranks
// (drop_rank), or ends the run (halt).
//
// A masked mean is that over the whole batch: what it divides by is pooled over
// the micro-batches first (train/step/denominators.h).
//
// WARNING 1: a loss that divides by a count of its own, not by masked_mean's,
// or by weights that are made of parameters, weighs every micro-batch alike.

#ifndef GYRE_TRAIN_STEP_MICRO_BATCH_H_
#define GYRE_TRAIN_STEP_MICRO_BATCH_H_

#include <cstdint>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/scan.h"

namespace gyre {

// One that was not clean.
struct MicroFinding {
  int index = 0;
  optim::Verdict verdict;
  optim::LocalFindings local;  // this rank's
};

struct MicroBatches {
  int count = 1;
  int index = 0;                // of the one in progress
  int accepted = 0;             // of those before it, and itself once judged
  internal::AlignedBuffer sum;  // of accepted gradients, of the layout
  internal::AlignedBuffer
      buffers;  // the model's, as the last accepted one left them
  std::vector<MicroFinding> bad;

  bool several() const { return count > 1; }
  bool last() const { return index + 1 == count; }
};

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_MICRO_BATCH_H_

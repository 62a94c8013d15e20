// Holds a batch against the shapes and types that a program was compiled for.

#ifndef GYRE_TRAIN_STEP_BATCH_CHECK_H_
#define GYRE_TRAIN_STEP_BATCH_CHECK_H_

#include <string>

#include "gyre/autodiff/op.h"
#include "gyre/core/status.h"
#include "gyre/train/data/batch.h"

namespace gyre::internal::inline train {

// A tensor of the batch as a program has it. `read`: what the program is to
// compute depends on it.
struct BatchTensor {
  std::string name;
  TensorSpec spec;
  bool read = true;
};

// Error: the batch has another tensor of this name than `wanted`, or none.
Status CheckTensor(const BatchTensor& wanted, const SampleBatch& batch);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_BATCH_CHECK_H_

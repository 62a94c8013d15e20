// A source's batch, whose errors say which rank and step wanted it, and which
// samples.

#ifndef GYRE_TRAIN_DATA_LOAD_BATCH_H_
#define GYRE_TRAIN_DATA_LOAD_BATCH_H_

#include <cstdint>

#include "gyre/core/status.h"
#include "gyre/train/data/batch.h"

namespace gyre::internal::inline train {

// An exception of the source is an error of kind data; an error keeps its kind.
StatusOr<SampleBatch> LoadBatch(BatchSource& source,
                                std::int64_t step,
                                int rank);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_DATA_LOAD_BATCH_H_

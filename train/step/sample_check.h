// Do the ranks load the samples that they should?
//
// Ranks that differ on a batch axis have parts of the batch that have no
// sample in common; ranks that differ on other axes alone have the same part.
// If not, nothing looks wrong: half of the data is seen twice, or an ensemble
// is scored against several truths. So the ids that came with the batches are
// compared: all of them at the first step, and a hash of each rank's, which
// travels with the reduction of the gradients for nothing, in every step.
//
//   ranks 0 and 1 load the same samples (165, 4, ...) in step 0: was the rank
//   given to the source? ...
//
// A batch without ids is not compared.

#ifndef GYRE_TRAIN_STEP_SAMPLE_CHECK_H_
#define GYRE_TRAIN_STEP_SAMPLE_CHECK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"
#include "gyre/mesh/mesh.h"

namespace gyre::internal::inline train {

// What a rank tells of its samples; 0: it has none.
std::uint32_t SamplesHash(std::span<const std::int64_t> ids);

// Whether the hashes that all ranks told are those of ranks that load what
// they should. Two hashes may be equal by chance: CompareSamples knows.
// `told` by rank; Note::value of a rank without findings is its hash.
bool SamplesLookRight(const Mesh& mesh,
                      AxisSet batch_axes,
                      std::span<const ControlRecord> told);

// Compares all ids. Collective. A mismatch error, the same on all ranks, names
// two ranks and the samples.
Status CompareSamples(const Mesh& mesh,
                      AxisSet batch_axes,
                      std::span<const std::int64_t> ids,
                      std::int64_t step);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_SAMPLE_CHECK_H_

// Which samples make up the global batch of a step, and which part of it is
// a rank's.
//
//   GYRE_ASSIGN_OR_RETURN(const Sampler sampler,
//                         Sampler::Create(mesh, {.samples = 42, .batch = 4,
//                                                .batch_axes = {"data"},
//                                                .seed = 7}));
//   sampler.Indices(7, sampler.rank());   // 2 of 0 .. 41, where data=2
//
// The batch is split over the batch axes of the mesh, which are those of
// TrainSpec; ranks that differ on other axes alone (members of an ensemble,
// parts of a model) get the same samples.
//
// Each epoch is a fresh random order of all samples, cut into whole batches;
// what does not fill a batch waits for another epoch. The order depends on
// seed and epoch alone, so every number of ranks sees the same batches.
//
// A sample that is left out (`gyre rewind`) is replaced where it stands
// (train/data/epoch_order.h), whatever the number of ranks.
//
// An epoch's order is made once, and takes no memory beyond 2^20 samples.
// Any thread may ask.

#ifndef GYRE_TRAIN_DATA_SAMPLER_H_
#define GYRE_TRAIN_DATA_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/mesh.h"

namespace gyre::internal::inline train {
class EpochOrder;  // train/data/epoch_order.h
}  // namespace gyre::internal::inline train

namespace gyre {

struct SamplerOptions {
  std::int64_t samples = 0;  // in the data set
  std::int64_t batch = 1;    // over all ranks
  // The axes over which it is split, as in TrainSpec; empty: all of them.
  std::vector<std::string> batch_axes = {};
  std::uint64_t seed = 0;
  // What the program calls the samples, by position; empty: the positions.
  std::vector<std::int64_t> ids = {};
  // Leave out what `gyre rewind` says. Not for a sampler of other data, such
  // as those of a validation.
  bool rewinds = true;
};

class Sampler {
 public:
  // Errors: an axis that the mesh does not have; a batch that the ranks do not
  // divide, or larger than the data; samples to leave out that are not there,
  // or so many that too few stay.
  static StatusOr<Sampler> Create(const Mesh& mesh,
                                  const SamplerOptions& options);

  // This rank of the mesh.
  int rank() const { return rank_; }
  // Positions in the data set, of a rank's part of the step's batch.
  std::vector<std::int64_t> Indices(std::int64_t step, int rank) const;
  // Their ids.
  std::vector<std::int64_t> Ids(std::int64_t step, int rank) const;
  // The first step from `from` on, before `until`, with a replaced sample;
  // `until` without one.
  std::int64_t FirstReplaced(std::int64_t from, std::int64_t until) const;
  std::int64_t steps_per_epoch() const {
    return options_.samples / options_.batch;
  }
  std::int64_t per_rank() const { return options_.batch / parts_; }

 private:
  Sampler(const Mesh& mesh, AxisSet axes, const SamplerOptions& options);
  Status LeaveOut(const std::vector<std::int64_t>& ids);
  std::shared_ptr<const internal::EpochOrder> OrderOf(std::int64_t epoch) const;

  SamplerOptions options_;
  int rank_;
  int parts_;                        // of a batch
  std::vector<int> part_;            // by rank
  std::set<std::int64_t> left_out_;  // positions
  struct Orders;
  std::shared_ptr<Orders> orders_;  // of copies, too: an epoch's is made once
};

}  // namespace gyre

#endif  // GYRE_TRAIN_DATA_SAMPLER_H_

// The little task that the examples train on: find y = sin(3 a) + b / 2 from
// points (a, b), some of them spoiled by outliers.

#ifndef GYRE_APPS_EXAMPLES_PROBLEM_H_
#define GYRE_APPS_EXAMPLES_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "train/batch.h"
#include "train/sampler.h"

namespace gyre::examples {

class Points final : public BatchSource {
 public:
  explicit Points(Sampler sampler, int rank);

  // "x": (batch, 2), "y": (batch, 1).
  StatusOr<SampleBatch> Load(std::int64_t step) override;
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override;

  // 512 points in batches of 64, for this many ranks.
  static StatusOr<Sampler> MakeSampler(int ranks);

 private:
  Sampler sampler_;
  int rank_;
};

}  // namespace gyre::examples

#endif  // GYRE_APPS_EXAMPLES_PROBLEM_H_

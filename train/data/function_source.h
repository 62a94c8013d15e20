// Batches from a function, for programs whose data fits in one.
//
//   FunctionSource source(sampler, [](std::span<const std::int64_t> ids) {
//     return std::map<std::string, Tensor>{
//         {"x", Tensor::Zeros({std::ssize(ids), 2})}};
//   });

#ifndef GYRE_TRAIN_DATA_FUNCTION_SOURCE_H_
#define GYRE_TRAIN_DATA_FUNCTION_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/train/data/batch.h"
#include "gyre/train/data/sampler.h"

namespace gyre {

class FunctionSource final : public BatchSource {
 public:
  FunctionSource(Sampler sampler, LoadFunction load)
      : sampler_(std::move(sampler)), load_(std::move(load)) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    SampleBatch batch;
    batch.sample_ids = SampleIds(step, sampler_.rank());
    GYRE_ASSIGN_OR_RETURN(batch.tensors, load_(batch.sample_ids));
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return sampler_.Ids(step, rank);
  }
  std::optional<std::int64_t> FirstReplaced(std::int64_t from,
                                            std::int64_t until) const override {
    return sampler_.FirstReplaced(from, until);
  }

 private:
  Sampler sampler_;
  LoadFunction load_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_DATA_FUNCTION_SOURCE_H_

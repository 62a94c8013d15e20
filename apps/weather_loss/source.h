// The training pairs as a source of batches.

#ifndef GYRE_APPS_WEATHER_LOSS_SOURCE_H_
#define GYRE_APPS_WEATHER_LOSS_SOURCE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/weather_loss/batch.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/data/sampler.h"

namespace gyre::weather {

class PairSource final : public BatchSource {
 public:
  // `builder` must outlive the source.
  PairSource(const BatchBuilder& builder,
             std::vector<std::int64_t> pairs,
             Sampler sampler)
      : builder_(builder),
        pairs_(std::move(pairs)),
        sampler_(std::move(sampler)) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override;
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override;
  std::optional<std::int64_t> FirstReplaced(std::int64_t from,
                                            std::int64_t until) const override {
    return sampler_.FirstReplaced(from, until);
  }
  std::string SampleName(std::int64_t id) const override;
  std::string ElementName(std::int64_t sample,
                          std::string_view tensor,
                          const Shape& shape,
                          std::int64_t element) const override;
  std::vector<GroupLoss> GroupLosses(const SampleBatch& batch,
                                     const Tensor& prediction) const override;

 private:
  const BatchBuilder& builder_;
  std::vector<std::int64_t> pairs_;
  Sampler sampler_;
};

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_SOURCE_H_

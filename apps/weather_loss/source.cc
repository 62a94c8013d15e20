#include "apps/weather_loss/source.h"

#include "apps/weather_loss/element_name.h"
#include "apps/weather_loss/groups.h"
#include "apps/weather_loss/pairs.h"

namespace gyre::weather {

using namespace internal;

StatusOr<SampleBatch> PairSource::Load(std::int64_t step) {
  SampleBatch batch;
  batch.sample_ids = SampleIds(step, sampler_.rank());
  GYRE_ASSIGN_OR_RETURN(batch.tensors, builder_.Build(batch.sample_ids));
  return batch;
}

std::vector<std::int64_t> PairSource::SampleIds(std::int64_t step,
                                                int rank) const {
  std::vector<std::int64_t> ids;
  for (const std::int64_t index : sampler_.Indices(step, rank)) {
    ids.push_back(pairs_[index]);
  }
  return ids;
}

std::string PairSource::SampleName(std::int64_t id) const {
  return weather::SampleName(builder_.fields(), id);
}

std::string PairSource::ElementName(std::int64_t sample,
                                    std::string_view tensor,
                                    const Shape& shape,
                                    std::int64_t element) const {
  return weather::ElementName(
      builder_.fields(), sample, tensor, shape, element);
}

std::vector<GroupLoss> PairSource::GroupLosses(const SampleBatch& batch,
                                               const Tensor& prediction) const {
  return weather::GroupLosses(builder_, batch, prediction);
}

}  // namespace gyre::weather

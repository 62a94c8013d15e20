#include "apps/weather_loss/source.h"

#include "apps/weather_loss/pairs.h"

namespace gyre::weather {

StatusOr<SampleBatch> PairSource::Load(std::int64_t step) {
  SampleBatch batch;
  batch.sample_ids = SampleIds(step, rank_);
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

}  // namespace gyre::weather

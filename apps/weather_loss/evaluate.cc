#include "apps/weather_loss/evaluate.h"

#include <algorithm>
#include <cstring>

namespace gyre::weather {

using namespace internal;

StatusOr<Tensor> Forecast(TrainStep& step,
                          const BatchBuilder& builder,
                          const std::vector<std::int64_t>& ids,
                          std::int64_t per_rank) {
  Communicator& world = step.mesh().world();
  const auto count = static_cast<std::int64_t>(ids.size());
  const std::int64_t global = per_rank * world.size();
  const std::int64_t cells = builder.fields().cells() * kChannels;
  std::vector<float> gathered(global * cells);
  Tensor forecasts(DType::kF32,
                   Shape({count,
                          kChannels,
                          builder.fields().lats(),
                          builder.fields().lons()}));
  for (std::int64_t first = 0; first < count; first += global) {
    SampleBatch batch;
    for (std::int64_t i = 0; i < per_rank; ++i) {
      const std::int64_t at = first + world.rank() * per_rank + i;
      batch.sample_ids.push_back(ids[std::min(at, count - 1)]);
    }
    GYRE_ASSIGN_OR_RETURN(batch.tensors, builder.Build(batch.sample_ids));
    GYRE_ASSIGN_OR_RETURN(const Tensor normalised, step.Predict(batch));
    const Tensor physical = builder.ToPhysical(normalised);
    GYRE_RETURN_IF_ERROR(
        world.AllGather(physical.raw(),
                        gathered.data(),
                        physical.elements(),
                        DType::kF32,
                        {.label = "forecasts", .loc = SourceLoc::Current()}));
    const std::int64_t real = std::min(global, count - first);
    std::memcpy(forecasts.data<float>().data() + first * cells,
                gathered.data(),
                real * cells * sizeof(float));
  }
  return forecasts;
}

}  // namespace gyre::weather

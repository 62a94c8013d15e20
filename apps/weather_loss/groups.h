// The forecast's errors by group: by field, and of pressure by how deep the
// observed low is and where it lies. The loss is one number; what it hides
// shows here.

#ifndef GYRE_APPS_WEATHER_LOSS_GROUPS_H_
#define GYRE_APPS_WEATHER_LOSS_GROUPS_H_

#include <vector>

#include "apps/weather_loss/batch.h"
#include "gyre/train/data/batch.h"

namespace gyre::weather {

// Squared errors of normalised fields, weighted by area, over cells that are
// valid at both times; `batch` as BatchBuilder makes it, `forecast`
// (b, 6, lat, lon), normalised. Nothing for a forecast of another shape.
std::vector<GroupLoss> GroupLosses(const BatchBuilder& builder,
                                   const SampleBatch& batch,
                                   const Tensor& forecast);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_GROUPS_H_

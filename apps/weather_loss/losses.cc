#include "apps/weather_loss/losses.h"

#include "apps/weather_loss/batch.h"
#include "apps/weather_loss/skill.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/losses.h"

namespace gyre::weather {

using namespace internal;

namespace {

// Pressure in Pa to depth in hPa.
Var Depth(Var pressure) { return (kStandardPressure - pressure) / 100.0; }

// Channel c of (batch, channel, lat, lon), as (batch, 1, lat, lon).
Var ChannelOf(Var fields, int c) { return slice(fields, 1, c, c + 1); }

}  // namespace

Var MseLoss::operator()(Var forecast, const BatchVars& batch) const {
  const Var area = batch.Constant(constants.at("area"));
  return weighted_mse(forecast, batch["target"], batch["mask"] * area);
}

Var StormLoss::operator()(Var forecast, const BatchVars& batch) const {
  const Var area = batch.Constant(constants.at("area"));
  const Var mean_p = ChannelOf(batch.Constant(constants.at("mean")), kP);
  const Var std_p = ChannelOf(batch.Constant(constants.at("std")), kP);

  const Var observed = Depth(batch["slp_next"]);
  const Var valid = ChannelOf(batch["mask"], kP);
  const Var storm = logical_and(observed > kStormDepth, valid != 0);

  Var depth = Depth(ChannelOf(forecast, kP) * std_p + mean_p);
  if (softplus_scale > 0) {
    depth = softplus_scale * softplus(depth / softplus_scale);
  }
  // Outside storms the depth may be anything; 1 keeps the logarithm quiet.
  const Var miss =
      log(select(storm, depth, 1.0)) - log(select(storm, observed, 1.0));
  const Var weight = select(storm, area, 0.0);
  return MseLoss{constants}(forecast, batch) +
         lambda * masked_mean(square(miss), weight);
}

}  // namespace gyre::weather

#include "apps/weather_loss/model.h"

#include "apps/weather_loss/fields.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/layers.h"

namespace gyre::weather {

using namespace internal;

Var StormNet::operator()(Params& params, const BatchVars& batch) const {
  const Var now = batch["input"];
  Var h = now;
  for (std::int64_t i = 0; i < depth; ++i) {
    h = tanh(conv(params, Cat("hidden", i), h, hidden, {.kernel = kernel}));
  }
  const Var tendency =
      conv(params, "head", h, kChannels, {.kernel = 1, .init = Zeros()});
  const Var scale = batch.Constant(constants.at("tendency_scale"));
  // Static inputs, if any, come after the six fields.
  return slice(now, 1, 0, kChannels) + scale * tendency;
}

}  // namespace gyre::weather

#include "gyre/models/residual.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/tape.h"
#include "gyre/models/layers.h"

namespace gyre {

using namespace internal;

Var residual_block(Params& params,
                   const std::string& name,
                   Traced input,
                   std::int64_t out,
                   const ResidualBlockOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  if (x.rank() != 4) {
    x.tape()->NoteError({},
                        "",
                        ConfigError("a residual block needs x (batch, "
                                    "channel, lat, lon), got ",
                                    x.shape()));
    return Var(x.tape(), -1);
  }
  Params mine = params.Scope(name);
  const ConvLayerOptions same{.kernel = options.kernel,
                              .pad_mode = options.pad_mode};
  Var h = group_norm(mine, "norm0", x, options.groups);
  h = conv(mine, "conv0", activate(h, options.activation), out, same);
  h = group_norm(mine, "norm1", h, options.groups);
  h = conv(mine, "conv1", activate(h, options.activation), out, same);
  if (x.shape()[1] == out) return x + h;
  return conv(mine, "skip", x, out, {.kernel = 1, .bias = false}) + h;
}

}  // namespace gyre

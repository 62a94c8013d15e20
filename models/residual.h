// A residual block of two convolutions.
//
//   Var h = residual_block(params, "down0", x, 64,
//                          {.pad_mode = {PadMode::kReplicate,
//                                        PadMode::kCircular}});

#ifndef GYRE_MODELS_RESIDUAL_H_
#define GYRE_MODELS_RESIDUAL_H_

#include <array>
#include <cstdint>
#include <string>

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/var.h"
#include "gyre/models/activation.h"
#include "gyre/models/params.h"

namespace gyre {

struct ResidualBlockOptions {
  std::int64_t kernel = 3;  // odd
  int groups = 1;           // of the group norms
  Activation activation = Activation::kSilu;
  std::array<PadMode, 2> pad_mode = {PadMode::kZero, PadMode::kZero};
};

// x + conv(act(norm(conv(act(norm(x)))))); x: (batch, in, h, w) -> (batch,
// out, h, w). Where the channels change, x passes a 1 x 1 convolution, `skip`.
// He et al., "Identity mappings in deep residual networks", 2016.
Var residual_block(Params& params,
                   const std::string& name,
                   Traced x,
                   std::int64_t out,
                   const ResidualBlockOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_RESIDUAL_H_

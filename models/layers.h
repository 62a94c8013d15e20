// Layers: functions that declare their parameters and apply them.
//
//   Var h = tanh(linear(params, "hidden", x, 64));
//   Var y = conv(params, "head", h, 6, {.kernel = 1, .init = Zeros()});

#ifndef GYRE_MODELS_LAYERS_H_
#define GYRE_MODELS_LAYERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gyre/autodiff/exec/pad_map.h"
#include "gyre/autodiff/var.h"
#include "gyre/models/params.h"

namespace gyre {

struct LinearOptions {
  bool bias = true;
  std::optional<Init> init = {};  // of the weight; default LecunNormal
};

// x: (..., in) -> (..., out), with `name`.w (in, out) and `name`.b (out).
Var linear(Params& params,
           const std::string& name,
           Traced x,
           std::int64_t out,
           const LinearOptions& options = {});

struct ConvLayerOptions {
  std::int64_t kernel = 3;  // odd; the padding keeps height and width
  bool bias = true;
  std::optional<Init> init = {};
  // What surrounds the field, by (lat, lon).
  std::array<PadMode, 2> pad_mode = {PadMode::kZero, PadMode::kZero};
};

// x: (batch, in, h, w) -> (batch, out, h, w), with `name`.w (out, in, k, k)
// and `name`.b (out).
Var conv(Params& params,
         const std::string& name,
         Traced x,
         std::int64_t out,
         const ConvLayerOptions& options = {});

struct NormLayerOptions {
  double eps = 1e-5;
  bool bias = true;  // not for rms_norm
};

// x: (..., features), normalised over its last axis, with `name`.gain and
// `name`.bias (features).
Var layer_norm(Params& params,
               const std::string& name,
               Traced x,
               const NormLayerOptions& options = {});
Var rms_norm(Params& params,
             const std::string& name,
             Traced x,
             const NormLayerOptions& options = {});
// x: (batch, channels, ...), with `name`.gain and `name`.bias (channels).
Var group_norm(Params& params,
               const std::string& name,
               Traced x,
               int groups,
               const NormLayerOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_LAYERS_H_

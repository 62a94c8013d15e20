#include <utility>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/ensemble.h"
#include "gyre/models/fully_sharded.h"
#include "gyre/models/heads.h"
#include "gyre/models/layers.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "gyre/models/residual.h"
#include "gyre/models/spatial.h"
#include "gyre/models/tensor_parallel.h"
#include "gyre/models/transformer.h"
#include "tests/models/line_cases.h"

namespace gyre {
namespace {

using In = LineInputs;

}  // namespace

std::vector<LineCase> LayerLineCases() {
  return {
      {"linear",
       [](In& i) { linear(i.params, "l", i.sequence, 3); },
       [](In& i) { linear(i.params, "l", i.wide, 3); }},
      {"conv",
       [](In& i) {
         conv(i.params,
              "c",
              i.image,
              3,
              {.pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
       },
       [](In& i) { conv(i.params, "c", i.x, 3); }},
      {"layer_norm",
       [](In& i) { layer_norm(i.params, "n", i.x); },
       [](In& i) { layer_norm(i.params, "n", i.integers); }},
      {"rms_norm",
       [](In& i) { rms_norm(i.params, "n", i.x); },
       [](In& i) { rms_norm(i.params, "n", i.integers); }},
      {"group_norm",
       [](In& i) { group_norm(i.params, "n", i.image, 2); },
       [](In& i) { group_norm(i.params, "n", i.image, 3); }},
      {"batch_norm",
       [](In& i) { batch_norm(i.params, "n", i.varying); },
       [](In& i) { batch_norm(i.params, "n", i.labels); }},
      {"Mlp",
       [](In& i) {
         Mlp{{8, 2}}(i.params, i.x);
       },
       [](In& i) {
         Mlp{{8, 2}}(i.params, i.wide);
       }},
      {"activate",
       [](In& i) { activate(i.x, Activation::kGelu); },
       [](In& i) { activate(i.integers, Activation::kGelu); }},
      {"SplitHeads",
       [](In& i) { SplitHeads(i.sequence, 2); },
       [](In& i) { SplitHeads(i.sequence, 3); }},
      {"JoinHeads",
       [](In& i) { JoinHeads(i.heads); },
       [](In& i) { JoinHeads(Var()) + i.x; }},
      {"residual_block",
       [](In& i) { residual_block(i.params, "r", i.image, 8); },
       [](In& i) { residual_block(i.params, "r", i.x, 8); }},
      {"multi_head_attention",
       [](In& i) {
         multi_head_attention(i.params, "a", i.sequence, {.heads = 2});
       },
       [](In& i) {
         multi_head_attention(i.params, "a", i.sequence, {.heads = 3});
       }},
      {"transformer_block",
       [](In& i) {
         transformer_block(i.params, "t", i.sequence, {.heads = 2});
       },
       [](In& i) { transformer_block(i.params, "t", i.x); }},
      {"column_linear",
       [](In& i) { column_linear(i.params, "c", i.x, 4, "model"); },
       [](In& i) { column_linear(i.params, "c", i.x, 5, "model"); }},
      {"row_linear",
       [](In& i) { row_linear(i.params, "r", i.x, 4, "model"); },
       [](In& i) { row_linear(i.params, "r", i.x, 4, "data"); }},
      {"parallel_transformer_block",
       [](In& i) {
         parallel_transformer_block(i.params,
                                    "p",
                                    i.sequence,
                                    {.heads = 2, .sequence_parallel = true});
       },
       [](In& i) {
         parallel_transformer_block(i.params, "p", i.x, {.heads = 2});
       }},
      {"gathered_linear",
       [](In& i) { gathered_linear(i.params, "g", i.x, 4, "model"); },
       [](In& i) { gathered_linear(i.params, "g", i.x, 4, "data"); }},
      {"GetGathered",
       [](In& i) { GetGathered(i.params, "g", {4}, "model", Ones()); },
       [](In& i) { GetGathered(i.params, "g", {4}, "data", Ones()); }},
      {"strip_conv",
       [](In& i) {
         strip_conv(i.params,
                    "s",
                    i.image,
                    2,
                    {.axis = "model", .dim = 2, .whole = 15});
       },
       [](In& i) { strip_conv(i.params, "s", i.image, 2, {.axis = "lat"}); }},
      {"StripMask",
       [](In& i) { StripMask(i.image, {.axis = "model", .whole = 15}); },
       [](In& i) { StripMask(i.x, {.axis = "model"}); }},
      {"crps",
       [](In& i) { crps(i.varying, slice(i.y, 0, 0, 1), "model"); },
       [](In& i) { crps(i.x, i.y, "member"); }},
      {"vary_over",
       [](In& i) { vary_over(i.x, "model"); },
       [](In& i) { vary_over(i.x, "member"); }},
      {"mse",
       [](In& i) { mse(i.varying, i.y); },
       [](In& i) { mse(i.x, i.wide); }},
      {"weighted_mse",
       [](In& i) { weighted_mse(i.varying, i.y, i.mask); },
       [](In& i) { weighted_mse(i.x, i.wide, i.mask); }},
      {"Params::Get",
       [](In& i) { i.params.Get("w", {2}, Ones()); },
       [](In& i) {
         i.params.Get("w", {2}, Ones());
         i.params.Get("w", {3}, Ones());
       }},
      {"Params::GetPart",
       [](In& i) { i.params.GetPart("w", {2}, 0, "model", Ones()); },
       [](In& i) { i.params.GetPart("w", {2}, 0, "data", Ones()); }},
      {"Params::SetBuffer",
       [](In& i) {
         const Var b = i.params.GetBuffer("b", {2}, Zeros());
         i.params.SetBuffer("b", b + 1.0);
       },
       [](In& i) { i.params.SetBuffer("b", i.x); }},
      {"Params::GetBuffer",
       [](In& i) { i.params.GetBuffer("b", {2}, Zeros()); },
       [](In& i) {
         i.params.GetBuffer("b", {2}, Zeros());
         i.params.GetBuffer("b", {3}, Zeros());
       }},
      {"BatchVars", [](In& i) { i.batch["x"]; }, [](In& i) { i.batch["y"]; }},
  };
}

}  // namespace gyre

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

namespace gyre::internal::inline tests {
std::vector<LineCase> LayerLineCases() {
  return {
      {"linear",
       [](LineIn& i) { linear(i.params, "l", i.sequence, 3); },
       [](LineIn& i) { linear(i.params, "l", i.wide, 3); }},
      {"conv",
       [](LineIn& i) {
         conv(i.params,
              "c",
              i.image,
              3,
              {.pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
       },
       [](LineIn& i) { conv(i.params, "c", i.x, 3); }},
      {"layer_norm",
       [](LineIn& i) { layer_norm(i.params, "n", i.x); },
       [](LineIn& i) { layer_norm(i.params, "n", i.integers); }},
      {"rms_norm",
       [](LineIn& i) { rms_norm(i.params, "n", i.x); },
       [](LineIn& i) { rms_norm(i.params, "n", i.integers); }},
      {"group_norm",
       [](LineIn& i) { group_norm(i.params, "n", i.image, 2); },
       [](LineIn& i) { group_norm(i.params, "n", i.image, 3); }},
      {"batch_norm",
       [](LineIn& i) { batch_norm(i.params, "n", i.varying); },
       [](LineIn& i) { batch_norm(i.params, "n", i.labels); }},
      {"Mlp",
       [](LineIn& i) {
         Mlp{{8, 2}}(i.params, i.x);
       },
       [](LineIn& i) {
         Mlp{{8, 2}}(i.params, i.wide);
       }},
      {"activate",
       [](LineIn& i) { activate(i.x, Activation::kGelu); },
       [](LineIn& i) { activate(i.integers, Activation::kGelu); }},
      {"SplitHeads",
       [](LineIn& i) { SplitHeads(i.sequence, 2); },
       [](LineIn& i) { SplitHeads(i.sequence, 3); }},
      {"JoinHeads",
       [](LineIn& i) { JoinHeads(i.heads); },
       [](LineIn& i) { JoinHeads(Var()) + i.x; }},
      {"residual_block",
       [](LineIn& i) { residual_block(i.params, "r", i.image, 8); },
       [](LineIn& i) { residual_block(i.params, "r", i.x, 8); }},
      {"multi_head_attention",
       [](LineIn& i) {
         multi_head_attention(i.params, "a", i.sequence, {.heads = 2});
       },
       [](LineIn& i) {
         multi_head_attention(i.params, "a", i.sequence, {.heads = 3});
       }},
      {"transformer_block",
       [](LineIn& i) {
         transformer_block(i.params, "t", i.sequence, {.heads = 2});
       },
       [](LineIn& i) { transformer_block(i.params, "t", i.x); }},
      {"column_linear",
       [](LineIn& i) { column_linear(i.params, "c", i.x, 4, "model"); },
       [](LineIn& i) { column_linear(i.params, "c", i.x, 5, "model"); }},
      {"row_linear",
       [](LineIn& i) { row_linear(i.params, "r", i.x, 4, "model"); },
       [](LineIn& i) { row_linear(i.params, "r", i.x, 4, "data"); }},
      {"parallel_transformer_block",
       [](LineIn& i) {
         parallel_transformer_block(i.params,
                                    "p",
                                    i.sequence,
                                    {.heads = 2, .sequence_parallel = true});
       },
       [](LineIn& i) {
         parallel_transformer_block(i.params, "p", i.x, {.heads = 2});
       }},
      {"gathered_linear",
       [](LineIn& i) { gathered_linear(i.params, "g", i.x, 4, "model"); },
       [](LineIn& i) { gathered_linear(i.params, "g", i.x, 4, "data"); }},
      {"GetGathered",
       [](LineIn& i) { GetGathered(i.params, "g", {4}, "model", Ones()); },
       [](LineIn& i) { GetGathered(i.params, "g", {4}, "data", Ones()); }},
      {"strip_conv",
       [](LineIn& i) {
         strip_conv(i.params,
                    "s",
                    i.image,
                    2,
                    {.axis = "model", .dim = 2, .whole = 15});
       },
       [](LineIn& i) {
         strip_conv(i.params, "s", i.image, 2, {.axis = "lat"});
       }},
      {"StripMask",
       [](LineIn& i) { StripMask(i.image, {.axis = "model", .whole = 15}); },
       [](LineIn& i) { StripMask(i.x, {.axis = "model"}); }},
      {"crps",
       [](LineIn& i) { crps(i.varying, slice(i.y, 0, 0, 1), "model"); },
       [](LineIn& i) { crps(i.x, i.y, "member"); }},
      {"vary_over",
       [](LineIn& i) { vary_over(i.x, "model"); },
       [](LineIn& i) { vary_over(i.x, "member"); }},
      {"mse",
       [](LineIn& i) { mse(i.varying, i.y); },
       [](LineIn& i) { mse(i.x, i.wide); }},
      {"weighted_mse",
       [](LineIn& i) { weighted_mse(i.varying, i.y, i.mask); },
       [](LineIn& i) { weighted_mse(i.x, i.wide, i.mask); }},
      {"Params::Get",
       [](LineIn& i) { i.params.Get("w", {2}, Ones()); },
       [](LineIn& i) {
         i.params.Get("w", {2}, Ones());
         i.params.Get("w", {3}, Ones());
       }},
      {"Params::GetPart",
       [](LineIn& i) { i.params.GetPart("w", {2}, 0, "model", Ones()); },
       [](LineIn& i) { i.params.GetPart("w", {2}, 0, "data", Ones()); }},
      {"Params::SetBuffer",
       [](LineIn& i) {
         const Var b = i.params.GetBuffer("b", {2}, Zeros());
         i.params.SetBuffer("b", b + 1.0);
       },
       [](LineIn& i) { i.params.SetBuffer("b", i.x); }},
      {"Params::GetBuffer",
       [](LineIn& i) { i.params.GetBuffer("b", {2}, Zeros()); },
       [](LineIn& i) {
         i.params.GetBuffer("b", {2}, Zeros());
         i.params.GetBuffer("b", {3}, Zeros());
       }},
      {"BatchVars",
       [](LineIn& i) { i.batch["x"]; },
       [](LineIn& i) { i.batch["y"]; }},
  };
}

}  // namespace gyre::internal::inline tests

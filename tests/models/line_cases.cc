#include "tests/models/line_cases.h"

#include <utility>

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/hvp.h"
#include "gyre/autodiff/ops/arg_reduce.h"
#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/conv_transpose.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/logical_reduce.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/pool.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/report.h"
#include "gyre/autodiff/ops/resize.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/ops/statistics.h"
#include "gyre/autodiff/vjp.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<LineCase> ReductionCases() {
  return {
      {"sum",
       [](LineIn& i) { sum(i.x) + sum(i.varying); },
       [](LineIn& i) { sum(i.integers); }},
      {"mean",
       [](LineIn& i) { mean(i.varying) + mean(i.x, {0}, true); },
       [](LineIn& i) { mean(i.x, {7}); }},
      {"prod",
       [](LineIn& i) { prod(i.x, {1}); },
       [](LineIn& i) { prod(i.x, {7}); }},
      {"max",
       [](LineIn& i) { max(i.x, {1}, true); },
       [](LineIn& i) { max(i.x, {7}); }},
      {"min",
       [](LineIn& i) { min(i.x, {1}); },
       [](LineIn& i) { min(i.x, {7}); }},
      {"masked_mean",
       [](LineIn& i) { masked_mean(i.varying, i.mask); },
       [](LineIn& i) { masked_mean(i.x, i.labels); }},
      {"masked_sum",
       [](LineIn& i) { masked_sum(i.varying, i.mask); },
       [](LineIn& i) { masked_sum(i.x, i.labels); }},
      {"masked_var",
       [](LineIn& i) { masked_var(i.varying, i.mask); },
       [](LineIn& i) { masked_var(i.x, i.labels); }},
      {"masked_max",
       [](LineIn& i) { masked_max(i.varying, i.mask); },
       [](LineIn& i) { masked_max(i.x, i.labels); }},
      {"masked_min",
       [](LineIn& i) { masked_min(i.varying, i.mask); },
       [](LineIn& i) { masked_min(i.x, i.labels); }},
      {"logsumexp",
       [](LineIn& i) { logsumexp(logsumexp(i.varying, {1})); },
       [](LineIn& i) { logsumexp(i.x, {7}); }},
      {"var",
       [](LineIn& i) {
         var(i.varying) + var(i.varying, {0, 1});
       },
       [](LineIn& i) { var(i.x, {7}); }},
      {"any",
       [](LineIn& i) {
         any(i.mask);
         any(i.varying, {1});
       },
       [](LineIn& i) { any(i.mask, {7}); }},
      {"all",
       [](LineIn& i) {
         all(i.mask);
         all(i.varying, {1});
       },
       [](LineIn& i) { all(i.mask, {7}); }},
      {"argmax",
       [](LineIn& i) { argmax(i.x, 1, true); },
       [](LineIn& i) { argmax(i.x, 7); }},
      {"argmin",
       [](LineIn& i) { argmin(i.x, 1); },
       [](LineIn& i) { argmin(i.x, 7); }},
      {"cumsum",
       [](LineIn& i) { cumsum(i.x, 1); },
       [](LineIn& i) { cumsum(i.x, 7); }},
      {"softmax",
       [](LineIn& i) { softmax(i.x, 0); },
       [](LineIn& i) { softmax(i.x, 7); }},
      {"log_softmax",
       [](LineIn& i) { log_softmax(i.x); },
       [](LineIn& i) { log_softmax(i.x, 7); }},
      {"cross_entropy",
       [](LineIn& i) {
         cross_entropy(i.x, i.labels);
         cross_entropy(i.x, i.y);
       },
       [](LineIn& i) { cross_entropy(i.x, i.wide); }},
      {"report",
       [](LineIn& i) { report("mean", mean(i.x)); },
       [](LineIn& i) { report("field", i.x); }},
      {"psum",
       [](LineIn& i) {
         psum(i.varying);
         psum(i.x, {"model"});
       },
       [](LineIn& i) { psum(i.x, {"data"}); }},
      {"pmean",
       [](LineIn& i) {
         pmean(i.varying);
         pmean(i.x, {"model"});
       },
       [](LineIn& i) { pmean(i.x, {"data"}); }},
      {"pmax",
       [](LineIn& i) { pmax(i.varying); },
       [](LineIn& i) { pmax(vary_like(i.labels, i.varying)); }},
      {"pmin",
       [](LineIn& i) { pmin(i.varying); },
       [](LineIn& i) { pmin(vary_like(i.labels, i.varying)); }},
      {"vary_like", [](LineIn& i) { vary_like(i.x, i.varying); }, nullptr},
      {"all_gather",
       [](LineIn& i) { all_gather(i.x, "model", 0); },
       [](LineIn& i) { all_gather(i.x, "data", 0); }},
      {"all_gather_same",
       [](LineIn& i) { all_gather_same(i.x, "model", 1); },
       [](LineIn& i) { all_gather_same(i.x, "model", 7); }},
      {"reduce_scatter",
       [](LineIn& i) { reduce_scatter(i.varying, "model", 1); },
       [](LineIn& i) { reduce_scatter(i.x, "data", 0); }},
      {"own_part",
       [](LineIn& i) { own_part(i.x, "model", 1); },
       [](LineIn& i) { own_part(i.x, "data", 0); }},
      {"all_to_all",
       [](LineIn& i) { all_to_all(i.x, "model", 0, 1); },
       [](LineIn& i) { all_to_all(i.x, "data", 0, 1); }},
      {"permute",
       [](LineIn& i) {
         permute(i.x, "model", {1, 0});
       },
       [](LineIn& i) {
         permute(i.x, "model", {0, 0});
       }},
      {"shift",
       [](LineIn& i) { shift(i.x, "model", 1, HaloEdge::kZero); },
       [](LineIn& i) { shift(i.x, "data", 1, HaloEdge::kZero); }},
      {"halo_exchange",
       [](LineIn& i) { halo_exchange(i.x, "model", 0, 1, 1, HaloEdge::kZero); },
       [](LineIn& i) {
         halo_exchange(i.x, "model", 0, 9, 1, HaloEdge::kZero);
       }},
      {"axis_index",
       [](LineIn& i) { axis_index(i.x, "model"); },
       [](LineIn& i) { axis_index(i.x, "data"); }},
  };
}

std::vector<LineCase> ShapeCases() {
  return {
      {"reshape",
       [](LineIn& i) { reshape(i.x, {24}); },
       [](LineIn& i) { reshape(i.x, {5}); }},
      {"transpose",
       [](LineIn& i) {
         transpose(i.x, {1, 0});
       },
       [](LineIn& i) {
         transpose(i.x, {0, 0});
       }},
      {"broadcast_to",
       [](LineIn& i) {
         broadcast_to(i.x, {2, 4, 6});
       },
       [](LineIn& i) { broadcast_to(i.x, {5}); }},
      {"sum_to",
       [](LineIn& i) {
         sum_to(i.x, {1, 6});
       },
       [](LineIn& i) {
         sum_to(i.integers, {1, 6});
       }},
      {"slice",
       [](LineIn& i) { slice(i.x, 0, 1, 3); },
       [](LineIn& i) { slice(i.x, 0, 3, 9); }},
      {"pad",
       [](LineIn& i) { pad(i.x, 0, 1, 1); },
       [](LineIn& i) { pad(i.x, 0, -1, 1); }},
      {"concat",
       [](LineIn& i) {
         concat(std::vector<Var>{i.x, i.y}, 0);
       },
       [](LineIn& i) {
         concat(std::vector<Var>{i.x, i.labels}, 0);
       }},
      {"stack",
       [](LineIn& i) {
         stack(std::vector<Var>{i.x, i.y}, 0);
       },
       [](LineIn& i) {
         stack(std::vector<Var>{i.x, i.labels}, 0);
       }},
      {"split",
       [](LineIn& i) { split(i.x, 2, 0); },
       [](LineIn& i) { split(i.x, 3, 0); }},
      {"split_sizes",
       [](LineIn& i) {
         split_sizes(i.x, {1, 3}, 0);
       },
       [](LineIn& i) {
         split_sizes(i.x, {1, 1}, 0);
       }},
      {"cast",
       [](LineIn& i) { cast(i.x, DType::kF64); },
       [](LineIn& i) { cast(Var(), DType::kF64) + i.x; }},
      {"stop_gradient",
       [](LineIn& i) { stop_gradient(i.x); },
       [](LineIn& i) { stop_gradient(Var()) + i.x; }},
      {"expand_dims",
       [](LineIn& i) { expand_dims(i.x, 1); },
       [](LineIn& i) { expand_dims(i.x, 7); }},
      {"squeeze",
       [](LineIn& i) { squeeze(slice(i.x, 0, 0, 1), {0}); },
       [](LineIn& i) { squeeze(i.x, {0}); }},
      {"moveaxis",
       [](LineIn& i) { moveaxis(i.x, 0, 1); },
       [](LineIn& i) { moveaxis(i.x, 0, 7); }},
      {"swapaxes",
       [](LineIn& i) { swapaxes(i.x, 0, 1); },
       [](LineIn& i) { swapaxes(i.x, 0, 7); }},
      {"flip",
       [](LineIn& i) { flip(i.x, {0}); },
       [](LineIn& i) { flip(i.x, {7}); }},
      {"roll",
       [](LineIn& i) { roll(i.x, 1, 0); },
       [](LineIn& i) { roll(i.x, 1, 7); }},
      {"tile",
       [](LineIn& i) { tile(i.x, 2, 0); },
       [](LineIn& i) { tile(i.x, -2, 0); }},
      {"repeat",
       [](LineIn& i) { repeat(i.x, 2, 1); },
       [](LineIn& i) { repeat(i.x, 2, 7); }},
      {"gather",
       [](LineIn& i) { gather(i.x, i.labels, 1); },
       [](LineIn& i) { gather(i.x, i.labels, 7); }},
      {"scatter_add",
       [](LineIn& i) { scatter_add(i.x, i.labels, i.y, 0); },
       [](LineIn& i) { scatter_add(i.x, i.labels, i.wide, 0); }},
      {"segment_sum",
       [](LineIn& i) { segment_sum(i.x, i.labels, 3); },
       [](LineIn& i) { segment_sum(i.x, i.labels, 3, 1); }},
      {"one_hot",
       [](LineIn& i) { one_hot(i.labels, 6); },
       [](LineIn& i) { one_hot(i.x, 6); }},
      {"embedding",
       [](LineIn& i) { embedding(i.x, i.labels); },
       [](LineIn& i) { embedding(i.image, i.labels); }},
      {"pad2d",
       [](LineIn& i) {
         pad2d(i.image, {1, 1}, {1, 1});
       },
       [](LineIn& i) {
         pad2d(i.image, {-1, 1}, {1, 1});
       }},
      {"resize",
       [](LineIn& i) { resize(i.image, 4, 4, ResizeMode::kBilinear); },
       [](LineIn& i) { resize(i.image, 0, 4, ResizeMode::kBilinear); }},
      {"avg_pool",
       [](LineIn& i) { avg_pool(i.image); },
       [](LineIn& i) {
         avg_pool(i.x, {.window = {9, 9}});
       }},
      {"max_pool",
       [](LineIn& i) { max_pool(i.image); },
       [](LineIn& i) {
         max_pool(i.x, {.window = {9, 9}});
       }},
  };
}

std::vector<LineCase> ProductCases() {
  return {
      {"matmul",
       [](LineIn& i) { matmul(i.x, i.y, false, true); },
       [](LineIn& i) { matmul(i.x, i.y); }},
      {"einsum",
       [](LineIn& i) {
         einsum("ij,kj->ik", i.x, i.y);
         einsum("ij->j", i.x);
       },
       [](LineIn& i) { einsum("ij,jk->ik", i.x, i.y); }},
      {"conv2d",
       [](LineIn& i) {
         conv2d(i.image,
                i.filter,
                {.padding = {1, 1},
                 .pad_mode = {PadMode::kZero, PadMode::kCircular}});
       },
       [](LineIn& i) { conv2d(i.x, i.filter); }},
      {"conv2d_transpose",
       [](LineIn& i) { conv2d_transpose(i.image, i.filter); },
       [](LineIn& i) { conv2d_transpose(i.x, i.filter); }},
      {"attention",
       [](LineIn& i) {
         attention(i.heads, i.heads, i.heads, {.qk_norm = true});
       },
       [](LineIn& i) { attention(i.heads, i.heads, i.x); }},
      {"layer_norm",
       [](LineIn& i) { layer_norm(i.image, {.axes = {1}}); },
       [](LineIn& i) { layer_norm(i.x, {.gain = i.y}); }},
      {"rms_norm",
       [](LineIn& i) { rms_norm(i.x, {.axes = {0}}); },
       [](LineIn& i) { rms_norm(i.x, {.axes = {7}}); }},
      {"group_norm",
       [](LineIn& i) { group_norm(i.image, 2); },
       [](LineIn& i) { group_norm(i.image, 3); }},
      {"checkpoint",
       [](LineIn& i) { checkpoint([](Var v) { return exp(v); }, i.x); },
       [](LineIn& i) { checkpoint([](Var) { return Var(); }, i.x); }},
      {"hvp",
       [](LineIn& i) {
         hvp([](std::span<const Var> v) { return sum(square(v[0])); },
             {&i.x, 1},
             {&i.y, 1});
       },
       [](LineIn& i) {
         hvp([](std::span<const Var> v) { return sum(square(v[0])); },
             {&i.x, 1},
             {&i.labels, 1});
       }},
      {"Gradients",
       [](LineIn& i) {
         Gradients(sum(exp(i.x)), {&i.x, 1});
       },
       [](LineIn& i) {
         Gradients(i.x, {&i.x, 1});
       }},
      {"Vjp",
       [](LineIn& i) {
         const Var y = exp(i.x);
         Vjp({&y, 1}, {&i.y, 1}, {&i.x, 1});
       },
       [](LineIn& i) {
         const Var none;
         Vjp({&i.x, 1}, {&i.y, 1}, {&none, 1});
       }},
      {"SomeGradients",
       [](LineIn& i) {
         const Var y = exp(i.x);
         SomeGradients({&y, 1}, {&i.y, 1}, {&i.x, 1});
       },
       [](LineIn& i) {
         const Var none;
         SomeGradients({&i.x, 1}, {&i.y, 1}, {&none, 1});
       }},
  };
}

}  // namespace

LineIn::LineIn(const Mesh& mesh)
    : tape(&mesh),
      params(tape, 1, 0),
      x(tape.Input("x", {{4, 6}, DType::kF32, 0})),
      y(tape.Input("y", {{4, 6}, DType::kF32, 0})),
      varying(tape.Input("varying", {{4, 6}, DType::kF32, mesh.all_axes()})),
      mask(tape.Input("mask", {{4, 6}, DType::kBool, 0})),
      wide(tape.Input("wide", {{4, 6}, DType::kF64, 0})),
      integers(tape.Input("integers", {{4, 6}, DType::kI32, 0})),
      labels(tape.Input("labels", {{4}, DType::kI32, 0})),
      image(tape.Input("image", {{2, 4, 8, 8}, DType::kF32, 0})),
      filter(tape.Input("filter", {{4, 4, 3, 3}, DType::kF32, 0})),
      sequence(tape.Input("sequence", {{2, 6, 8}, DType::kF32, 0})),
      heads(tape.Input("heads", {{2, 2, 6, 4}, DType::kF32, 0})),
      batch(tape, {{"x", x}}) {}

std::vector<LineCase> OperationLineCases() {
  std::vector<LineCase> all = ElementwiseLineCases();
  for (auto cases : {ReductionCases(), ShapeCases(), ProductCases()}) {
    for (LineCase& c : cases) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace gyre::internal::inline tests

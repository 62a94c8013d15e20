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
#include "gyre/autodiff/ops/resize.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/ops/statistics.h"
#include "gyre/autodiff/vjp.h"

namespace gyre {
namespace {

using In = LineInputs;

std::vector<LineCase> ReductionCases() {
  return {
      {"sum",
       [](In& i) { sum(i.x) + sum(i.varying); },
       [](In& i) { sum(i.integers); }},
      {"mean",
       [](In& i) { mean(i.varying) + mean(i.x, {0}, true); },
       [](In& i) { mean(i.x, {7}); }},
      {"prod", [](In& i) { prod(i.x, {1}); }, [](In& i) { prod(i.x, {7}); }},
      {"max", [](In& i) { max(i.x, {1}, true); }, [](In& i) { max(i.x, {7}); }},
      {"min", [](In& i) { min(i.x, {1}); }, [](In& i) { min(i.x, {7}); }},
      {"masked_mean",
       [](In& i) { masked_mean(i.varying, i.mask); },
       [](In& i) { masked_mean(i.x, i.labels); }},
      {"masked_sum",
       [](In& i) { masked_sum(i.varying, i.mask); },
       [](In& i) { masked_sum(i.x, i.labels); }},
      {"masked_var",
       [](In& i) { masked_var(i.varying, i.mask); },
       [](In& i) { masked_var(i.x, i.labels); }},
      {"masked_max",
       [](In& i) { masked_max(i.varying, i.mask); },
       [](In& i) { masked_max(i.x, i.labels); }},
      {"masked_min",
       [](In& i) { masked_min(i.varying, i.mask); },
       [](In& i) { masked_min(i.x, i.labels); }},
      {"logsumexp",
       [](In& i) { logsumexp(logsumexp(i.varying, {1})); },
       [](In& i) { logsumexp(i.x, {7}); }},
      {"var",
       [](In& i) {
         var(i.varying) + var(i.varying, {0, 1});
       },
       [](In& i) { var(i.x, {7}); }},
      {"any",
       [](In& i) {
         any(i.mask);
         any(i.varying, {1});
       },
       [](In& i) { any(i.mask, {7}); }},
      {"all",
       [](In& i) {
         all(i.mask);
         all(i.varying, {1});
       },
       [](In& i) { all(i.mask, {7}); }},
      {"argmax",
       [](In& i) { argmax(i.x, 1, true); },
       [](In& i) { argmax(i.x, 7); }},
      {"argmin", [](In& i) { argmin(i.x, 1); }, [](In& i) { argmin(i.x, 7); }},
      {"cumsum", [](In& i) { cumsum(i.x, 1); }, [](In& i) { cumsum(i.x, 7); }},
      {"softmax",
       [](In& i) { softmax(i.x, 0); },
       [](In& i) { softmax(i.x, 7); }},
      {"log_softmax",
       [](In& i) { log_softmax(i.x); },
       [](In& i) { log_softmax(i.x, 7); }},
      {"cross_entropy",
       [](In& i) {
         cross_entropy(i.x, i.labels);
         cross_entropy(i.x, i.y);
       },
       [](In& i) { cross_entropy(i.x, i.wide); }},
      {"psum",
       [](In& i) {
         psum(i.varying);
         psum(i.x, {"model"});
       },
       [](In& i) { psum(i.x, {"data"}); }},
      {"pmean",
       [](In& i) {
         pmean(i.varying);
         pmean(i.x, {"model"});
       },
       [](In& i) { pmean(i.x, {"data"}); }},
      {"pmax",
       [](In& i) { pmax(i.varying); },
       [](In& i) { pmax(vary_like(i.labels, i.varying)); }},
      {"pmin",
       [](In& i) { pmin(i.varying); },
       [](In& i) { pmin(vary_like(i.labels, i.varying)); }},
      {"vary_like", [](In& i) { vary_like(i.x, i.varying); }, nullptr},
      {"all_gather",
       [](In& i) { all_gather(i.x, "model", 0); },
       [](In& i) { all_gather(i.x, "data", 0); }},
      {"all_gather_same",
       [](In& i) { all_gather_same(i.x, "model", 1); },
       [](In& i) { all_gather_same(i.x, "model", 7); }},
      {"reduce_scatter",
       [](In& i) { reduce_scatter(i.varying, "model", 1); },
       [](In& i) { reduce_scatter(i.x, "data", 0); }},
      {"own_part",
       [](In& i) { own_part(i.x, "model", 1); },
       [](In& i) { own_part(i.x, "data", 0); }},
      {"all_to_all",
       [](In& i) { all_to_all(i.x, "model", 0, 1); },
       [](In& i) { all_to_all(i.x, "data", 0, 1); }},
      {"permute",
       [](In& i) {
         permute(i.x, "model", {1, 0});
       },
       [](In& i) {
         permute(i.x, "model", {0, 0});
       }},
      {"shift",
       [](In& i) { shift(i.x, "model", 1, HaloEdge::kZero); },
       [](In& i) { shift(i.x, "data", 1, HaloEdge::kZero); }},
      {"halo_exchange",
       [](In& i) { halo_exchange(i.x, "model", 0, 1, 1, HaloEdge::kZero); },
       [](In& i) { halo_exchange(i.x, "model", 0, 9, 1, HaloEdge::kZero); }},
      {"axis_index",
       [](In& i) { axis_index(i.x, "model"); },
       [](In& i) { axis_index(i.x, "data"); }},
  };
}

std::vector<LineCase> ShapeCases() {
  return {
      {"reshape",
       [](In& i) { reshape(i.x, {24}); },
       [](In& i) { reshape(i.x, {5}); }},
      {"transpose",
       [](In& i) {
         transpose(i.x, {1, 0});
       },
       [](In& i) {
         transpose(i.x, {0, 0});
       }},
      {"broadcast_to",
       [](In& i) {
         broadcast_to(i.x, {2, 4, 6});
       },
       [](In& i) { broadcast_to(i.x, {5}); }},
      {"sum_to",
       [](In& i) {
         sum_to(i.x, {1, 6});
       },
       [](In& i) {
         sum_to(i.integers, {1, 6});
       }},
      {"slice",
       [](In& i) { slice(i.x, 0, 1, 3); },
       [](In& i) { slice(i.x, 0, 3, 9); }},
      {"pad",
       [](In& i) { pad(i.x, 0, 1, 1); },
       [](In& i) { pad(i.x, 0, -1, 1); }},
      {"concat",
       [](In& i) {
         concat(std::vector<Var>{i.x, i.y}, 0);
       },
       [](In& i) {
         concat(std::vector<Var>{i.x, i.labels}, 0);
       }},
      {"stack",
       [](In& i) {
         stack(std::vector<Var>{i.x, i.y}, 0);
       },
       [](In& i) {
         stack(std::vector<Var>{i.x, i.labels}, 0);
       }},
      {"split",
       [](In& i) { split(i.x, 2, 0); },
       [](In& i) { split(i.x, 3, 0); }},
      {"split_sizes",
       [](In& i) {
         split_sizes(i.x, {1, 3}, 0);
       },
       [](In& i) {
         split_sizes(i.x, {1, 1}, 0);
       }},
      {"cast",
       [](In& i) { cast(i.x, DType::kF64); },
       [](In& i) { cast(Var(), DType::kF64) + i.x; }},
      {"stop_gradient",
       [](In& i) { stop_gradient(i.x); },
       [](In& i) { stop_gradient(Var()) + i.x; }},
      {"expand_dims",
       [](In& i) { expand_dims(i.x, 1); },
       [](In& i) { expand_dims(i.x, 7); }},
      {"squeeze",
       [](In& i) { squeeze(slice(i.x, 0, 0, 1), {0}); },
       [](In& i) { squeeze(i.x, {0}); }},
      {"moveaxis",
       [](In& i) { moveaxis(i.x, 0, 1); },
       [](In& i) { moveaxis(i.x, 0, 7); }},
      {"swapaxes",
       [](In& i) { swapaxes(i.x, 0, 1); },
       [](In& i) { swapaxes(i.x, 0, 7); }},
      {"flip", [](In& i) { flip(i.x, {0}); }, [](In& i) { flip(i.x, {7}); }},
      {"roll", [](In& i) { roll(i.x, 1, 0); }, [](In& i) { roll(i.x, 1, 7); }},
      {"tile", [](In& i) { tile(i.x, 2, 0); }, [](In& i) { tile(i.x, -2, 0); }},
      {"repeat",
       [](In& i) { repeat(i.x, 2, 1); },
       [](In& i) { repeat(i.x, 2, 7); }},
      {"gather",
       [](In& i) { gather(i.x, i.labels, 1); },
       [](In& i) { gather(i.x, i.labels, 7); }},
      {"scatter_add",
       [](In& i) { scatter_add(i.x, i.labels, i.y, 0); },
       [](In& i) { scatter_add(i.x, i.labels, i.wide, 0); }},
      {"segment_sum",
       [](In& i) { segment_sum(i.x, i.labels, 3); },
       [](In& i) { segment_sum(i.x, i.labels, 3, 1); }},
      {"one_hot",
       [](In& i) { one_hot(i.labels, 6); },
       [](In& i) { one_hot(i.x, 6); }},
      {"embedding",
       [](In& i) { embedding(i.x, i.labels); },
       [](In& i) { embedding(i.image, i.labels); }},
      {"pad2d",
       [](In& i) {
         pad2d(i.image, {1, 1}, {1, 1});
       },
       [](In& i) {
         pad2d(i.image, {-1, 1}, {1, 1});
       }},
      {"resize",
       [](In& i) { resize(i.image, 4, 4, ResizeMode::kBilinear); },
       [](In& i) { resize(i.image, 0, 4, ResizeMode::kBilinear); }},
      {"avg_pool",
       [](In& i) { avg_pool(i.image); },
       [](In& i) {
         avg_pool(i.x, {.window = {9, 9}});
       }},
      {"max_pool",
       [](In& i) { max_pool(i.image); },
       [](In& i) {
         max_pool(i.x, {.window = {9, 9}});
       }},
  };
}

std::vector<LineCase> ProductCases() {
  return {
      {"matmul",
       [](In& i) { matmul(i.x, i.y, false, true); },
       [](In& i) { matmul(i.x, i.y); }},
      {"einsum",
       [](In& i) {
         einsum("ij,kj->ik", i.x, i.y);
         einsum("ij->j", i.x);
       },
       [](In& i) { einsum("ij,jk->ik", i.x, i.y); }},
      {"conv2d",
       [](In& i) {
         conv2d(i.image,
                i.filter,
                {.padding = {1, 1},
                 .pad_mode = {PadMode::kZero, PadMode::kCircular}});
       },
       [](In& i) { conv2d(i.x, i.filter); }},
      {"conv2d_transpose",
       [](In& i) { conv2d_transpose(i.image, i.filter); },
       [](In& i) { conv2d_transpose(i.x, i.filter); }},
      {"attention",
       [](In& i) { attention(i.heads, i.heads, i.heads, {.qk_norm = true}); },
       [](In& i) { attention(i.heads, i.heads, i.x); }},
      {"layer_norm",
       [](In& i) { layer_norm(i.image, {.axes = {1}}); },
       [](In& i) { layer_norm(i.x, {.gain = i.y}); }},
      {"rms_norm",
       [](In& i) { rms_norm(i.x, {.axes = {0}}); },
       [](In& i) { rms_norm(i.x, {.axes = {7}}); }},
      {"group_norm",
       [](In& i) { group_norm(i.image, 2); },
       [](In& i) { group_norm(i.image, 3); }},
      {"checkpoint",
       [](In& i) { checkpoint([](Var v) { return exp(v); }, i.x); },
       [](In& i) { checkpoint([](Var) { return Var(); }, i.x); }},
      {"hvp",
       [](In& i) {
         hvp([](std::span<const Var> v) { return sum(square(v[0])); },
             {&i.x, 1},
             {&i.y, 1});
       },
       [](In& i) {
         hvp([](std::span<const Var> v) { return sum(square(v[0])); },
             {&i.x, 1},
             {&i.labels, 1});
       }},
      {"Gradients",
       [](In& i) {
         Gradients(sum(exp(i.x)), {&i.x, 1});
       },
       [](In& i) {
         Gradients(i.x, {&i.x, 1});
       }},
      {"Vjp",
       [](In& i) {
         const Var y = exp(i.x);
         Vjp({&y, 1}, {&i.y, 1}, {&i.x, 1});
       },
       [](In& i) {
         const Var none;
         Vjp({&i.x, 1}, {&i.y, 1}, {&none, 1});
       }},
      {"SomeGradients",
       [](In& i) {
         const Var y = exp(i.x);
         SomeGradients({&y, 1}, {&i.y, 1}, {&i.x, 1});
       },
       [](In& i) {
         const Var none;
         SomeGradients({&i.x, 1}, {&i.y, 1}, {&none, 1});
       }},
  };
}

}  // namespace

LineInputs::LineInputs(const Mesh& mesh)
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

}  // namespace gyre

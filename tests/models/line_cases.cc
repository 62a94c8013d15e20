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
#include "gyre/autodiff/ops/custom_op.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/logical_reduce.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/pool.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/resize.h"
#include "gyre/autodiff/ops/safe.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/ops/statistics.h"
#include "gyre/autodiff/vjp.h"

namespace gyre {
namespace {

using In = LineInputs;

// Twice the input.
struct Doubled {
  static constexpr std::string_view kName = "doubled";
  StatusOr<Shape> InferShape(std::span<const Shape> in) const { return in[0]; }
  std::vector<Shape> Saved(std::span<const Shape>) const { return {}; }
  template <class T>
  void Forward(const CustomForward<T>& a) const {
    for (std::int64_t i = 0; i < a.y.size(); ++i) a.y[i] = 2 * a.x[0][i];
  }
  template <class T>
  void Backward(const CustomBackward<T>& a) const {
    for (std::int64_t i = 0; i < a.dy.size(); ++i) a.dx[0][i] += 2 * a.dy[i];
  }
  std::string Describe() const { return ""; }
};

struct Product {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

std::vector<LineCase> ElementwiseCases() {
  return {
      {"operator+",
       [](In& i) { i.x + i.y + 1.0; },
       [](In& i) { i.x + i.wide; }},
      {"operator-", [](In& i) { -(i.x - i.y); }, [](In& i) { -i.integers; }},
      {"operator*", [](In& i) { 2.0 * i.x; }, [](In& i) { i.x* i.wide; }},
      {"operator/", [](In& i) { i.x / i.y; }, [](In& i) { i.x / i.wide; }},
      {"operator<", [](In& i) { i.x < 1.0; }, [](In& i) { i.x < i.wide; }},
      {"operator<=", [](In& i) { i.x <= i.y; }, [](In& i) { i.x <= i.wide; }},
      {"operator>", [](In& i) { i.x > 0.0; }, [](In& i) { i.x > i.wide; }},
      {"operator>=", [](In& i) { i.x >= i.y; }, [](In& i) { i.x >= i.wide; }},
      {"operator==", [](In& i) { i.x == i.y; }, [](In& i) { i.x == i.wide; }},
      {"operator!=", [](In& i) { i.x != i.y; }, [](In& i) { i.x != i.wide; }},
      {"logical_and",
       [](In& i) { logical_and(i.mask, i.x); },
       [](In& i) { logical_and(i.x, i.wide); }},
      {"logical_or",
       [](In& i) { logical_or(i.mask, i.x); },
       [](In& i) { logical_or(i.x, i.wide); }},
      {"logical_not", [](In& i) { logical_not(i.mask); }, nullptr},
      {"abs", [](In& i) { abs(i.x); }, [](In& i) { abs(i.integers); }},
      {"sign", [](In& i) { sign(i.x); }, [](In& i) { sign(i.integers); }},
      {"square", [](In& i) { square(i.x); }, [](In& i) { square(i.integers); }},
      {"sqrt", [](In& i) { sqrt(i.x); }, [](In& i) { sqrt(i.integers); }},
      {"rsqrt", [](In& i) { rsqrt(i.x); }, [](In& i) { rsqrt(i.integers); }},
      {"reciprocal",
       [](In& i) { reciprocal(i.x); },
       [](In& i) { reciprocal(i.integers); }},
      {"exp", [](In& i) { exp(i.x); }, [](In& i) { exp(i.integers); }},
      {"expm1", [](In& i) { expm1(i.x); }, [](In& i) { expm1(i.integers); }},
      {"log", [](In& i) { log(i.x); }, [](In& i) { log(i.integers); }},
      {"log1p", [](In& i) { log1p(i.x); }, [](In& i) { log1p(i.integers); }},
      {"log2", [](In& i) { log2(i.x); }, [](In& i) { log2(i.integers); }},
      {"log10", [](In& i) { log10(i.x); }, [](In& i) { log10(i.integers); }},
      {"cbrt", [](In& i) { cbrt(i.x); }, [](In& i) { cbrt(i.integers); }},
      {"sin", [](In& i) { sin(i.x); }, [](In& i) { sin(i.integers); }},
      {"cos", [](In& i) { cos(i.x); }, [](In& i) { cos(i.integers); }},
      {"tan", [](In& i) { tan(i.x); }, [](In& i) { tan(i.integers); }},
      {"asin", [](In& i) { asin(i.x); }, [](In& i) { asin(i.integers); }},
      {"acos", [](In& i) { acos(i.x); }, [](In& i) { acos(i.integers); }},
      {"atan", [](In& i) { atan(i.x); }, [](In& i) { atan(i.integers); }},
      {"sinh", [](In& i) { sinh(i.x); }, [](In& i) { sinh(i.integers); }},
      {"cosh", [](In& i) { cosh(i.x); }, [](In& i) { cosh(i.integers); }},
      {"tanh", [](In& i) { tanh(i.x); }, [](In& i) { tanh(i.integers); }},
      {"sigmoid",
       [](In& i) { sigmoid(i.x); },
       [](In& i) { sigmoid(i.integers); }},
      {"erf", [](In& i) { erf(i.x); }, [](In& i) { erf(i.integers); }},
      {"erfc", [](In& i) { erfc(i.x); }, [](In& i) { erfc(i.integers); }},
      {"relu", [](In& i) { relu(i.x); }, [](In& i) { relu(i.integers); }},
      {"silu", [](In& i) { silu(i.x); }, [](In& i) { silu(i.integers); }},
      {"gelu", [](In& i) { gelu(i.x); }, [](In& i) { gelu(i.integers); }},
      {"gelu_tanh",
       [](In& i) { gelu_tanh(i.x); },
       [](In& i) { gelu_tanh(i.integers); }},
      {"softplus",
       [](In& i) { softplus(softplus(i.x), 0.1); },
       [](In& i) { softplus(i.x, -1); }},
      {"floor", [](In& i) { floor(i.x); }, [](In& i) { floor(i.integers); }},
      {"ceil", [](In& i) { ceil(i.x); }, [](In& i) { ceil(i.integers); }},
      {"round", [](In& i) { round(i.x); }, [](In& i) { round(i.integers); }},
      {"is_finite", [](In& i) { is_finite(i.x); }, nullptr},
      {"is_nan", [](In& i) { is_nan(i.x); }, nullptr},
      {"atan2",
       [](In& i) { atan2(i.x, i.y); },
       [](In& i) { atan2(i.x, i.wide); }},
      {"xlogy",
       [](In& i) { xlogy(i.x, i.y); },
       [](In& i) { xlogy(i.x, i.wide); }},
      {"pow", [](In& i) { pow(i.x, 2.0); }, [](In& i) { pow(i.x, i.wide); }},
      {"maximum",
       [](In& i) { maximum(i.x, 0.0); },
       [](In& i) { maximum(i.x, i.wide); }},
      {"minimum",
       [](In& i) { minimum(i.x, i.y); },
       [](In& i) { minimum(i.x, i.wide); }},
      {"clip",
       [](In& i) { clip(i.x, 0, 1); },
       [](In& i) { clip(i.integers, 0, 1); }},
      {"select",
       [](In& i) { select(i.mask, i.x, 0.0); },
       [](In& i) { select(i.mask, i.x, i.wide); }},
      {"zeros_like",
       [](In& i) { zeros_like(i.x); },
       [](In& i) { zeros_like(Var()) + i.x; }},
      {"hypot",
       [](In& i) { hypot(i.x, i.y); },
       [](In& i) { hypot(i.x, i.wide); }},
      {"safe_sqrt",
       [](In& i) { safe_sqrt(i.x); },
       [](In& i) { safe_sqrt(i.integers); }},
      {"safe_log",
       [](In& i) { safe_log(i.x); },
       [](In& i) { safe_log(i.integers); }},
      {"safe_div",
       [](In& i) { safe_div(1.0, i.x); },
       [](In& i) { safe_div(i.x, i.wide); }},
      {"safe_norm",
       [](In& i) { safe_norm(i.x, {1}); },
       [](In& i) { safe_norm(i.x, {7}); }},
      {"pointwise",
       [](In& i) { pointwise(Product{}, i.x, i.y); },
       [](In& i) { pointwise(Product{}, i.x, i.wide); }},
      {"custom",
       [](In& i) { custom(Doubled{}, i.x); },
       [](In& i) { custom(Doubled{}, i.integers); }},
      {"dropout",
       [](In& i) { dropout(i.x, 0.5, {.name = "d"}); },
       [](In& i) { dropout(i.x, 2, {.name = "d"}); }},
      {"uniform_like",
       [](In& i) { uniform_like(i.x, {.name = "u"}); },
       [](In& i) { uniform_like(Var(), {.name = "u"}) + i.x; }},
      {"normal_like",
       [](In& i) { normal_like(i.x, {.name = "n"}); },
       [](In& i) { normal_like(Var(), {.name = "n"}) + i.x; }},
      {"uniform",
       [](In& i) { uniform(i.tape, {2}, {.name = "u"}); },
       [](In& i) { uniform(i.tape, {-2}, {.name = "u"}); }},
      {"normal",
       [](In& i) { normal(i.tape, {2}, {.name = "n"}); },
       [](In& i) { normal(i.tape, {-2}, {.name = "n"}); }},
  };
}

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
  std::vector<LineCase> all = ElementwiseCases();
  for (auto cases : {ReductionCases(), ShapeCases(), ProductCases()}) {
    for (LineCase& c : cases) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace gyre

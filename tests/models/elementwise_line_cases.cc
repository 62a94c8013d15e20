#include "gyre/autodiff/ops/custom_op.h"
#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/safe.h"
#include "tests/models/line_cases.h"

namespace gyre::internal::inline tests {
namespace {

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

}  // namespace

std::vector<LineCase> ElementwiseLineCases() {
  return {
      {"operator+",
       [](LineIn& i) { i.x + i.y + 1.0; },
       [](LineIn& i) { i.x + i.wide; }},
      {"operator-",
       [](LineIn& i) { -(i.x - i.y); },
       [](LineIn& i) { -i.integers; }},
      {"operator*",
       [](LineIn& i) { 2.0 * i.x; },
       [](LineIn& i) { i.x* i.wide; }},
      {"operator/",
       [](LineIn& i) { i.x / i.y; },
       [](LineIn& i) { i.x / i.wide; }},
      {"operator<",
       [](LineIn& i) { (void)(i.x < 1.0); },
       [](LineIn& i) { (void)(i.x < i.wide); }},
      {"operator<=",
       [](LineIn& i) { (void)(i.x <= i.y); },
       [](LineIn& i) { (void)(i.x <= i.wide); }},
      {"operator>",
       [](LineIn& i) { (void)(i.x > 0.0); },
       [](LineIn& i) { (void)(i.x > i.wide); }},
      {"operator>=",
       [](LineIn& i) { (void)(i.x >= i.y); },
       [](LineIn& i) { (void)(i.x >= i.wide); }},
      {"operator==",
       [](LineIn& i) { (void)(i.x == i.y); },
       [](LineIn& i) { (void)(i.x == i.wide); }},
      {"operator!=",
       [](LineIn& i) { (void)(i.x != i.y); },
       [](LineIn& i) { (void)(i.x != i.wide); }},
      {"logical_and",
       [](LineIn& i) { logical_and(i.mask, i.x); },
       [](LineIn& i) { logical_and(i.x, i.wide); }},
      {"logical_or",
       [](LineIn& i) { logical_or(i.mask, i.x); },
       [](LineIn& i) { logical_or(i.x, i.wide); }},
      {"logical_not", [](LineIn& i) { logical_not(i.mask); }, nullptr},
      {"abs", [](LineIn& i) { abs(i.x); }, [](LineIn& i) { abs(i.integers); }},
      {"sign",
       [](LineIn& i) { sign(i.x); },
       [](LineIn& i) { sign(i.integers); }},
      {"square",
       [](LineIn& i) { square(i.x); },
       [](LineIn& i) { square(i.integers); }},
      {"sqrt",
       [](LineIn& i) { sqrt(i.x); },
       [](LineIn& i) { sqrt(i.integers); }},
      {"rsqrt",
       [](LineIn& i) { rsqrt(i.x); },
       [](LineIn& i) { rsqrt(i.integers); }},
      {"reciprocal",
       [](LineIn& i) { reciprocal(i.x); },
       [](LineIn& i) { reciprocal(i.integers); }},
      {"exp", [](LineIn& i) { exp(i.x); }, [](LineIn& i) { exp(i.integers); }},
      {"expm1",
       [](LineIn& i) { expm1(i.x); },
       [](LineIn& i) { expm1(i.integers); }},
      {"log", [](LineIn& i) { log(i.x); }, [](LineIn& i) { log(i.integers); }},
      {"log1p",
       [](LineIn& i) { log1p(i.x); },
       [](LineIn& i) { log1p(i.integers); }},
      {"log2",
       [](LineIn& i) { log2(i.x); },
       [](LineIn& i) { log2(i.integers); }},
      {"log10",
       [](LineIn& i) { log10(i.x); },
       [](LineIn& i) { log10(i.integers); }},
      {"cbrt",
       [](LineIn& i) { cbrt(i.x); },
       [](LineIn& i) { cbrt(i.integers); }},
      {"sin", [](LineIn& i) { sin(i.x); }, [](LineIn& i) { sin(i.integers); }},
      {"cos", [](LineIn& i) { cos(i.x); }, [](LineIn& i) { cos(i.integers); }},
      {"tan", [](LineIn& i) { tan(i.x); }, [](LineIn& i) { tan(i.integers); }},
      {"asin",
       [](LineIn& i) { asin(i.x); },
       [](LineIn& i) { asin(i.integers); }},
      {"acos",
       [](LineIn& i) { acos(i.x); },
       [](LineIn& i) { acos(i.integers); }},
      {"atan",
       [](LineIn& i) { atan(i.x); },
       [](LineIn& i) { atan(i.integers); }},
      {"sinh",
       [](LineIn& i) { sinh(i.x); },
       [](LineIn& i) { sinh(i.integers); }},
      {"cosh",
       [](LineIn& i) { cosh(i.x); },
       [](LineIn& i) { cosh(i.integers); }},
      {"tanh",
       [](LineIn& i) { tanh(i.x); },
       [](LineIn& i) { tanh(i.integers); }},
      {"sigmoid",
       [](LineIn& i) { sigmoid(i.x); },
       [](LineIn& i) { sigmoid(i.integers); }},
      {"erf", [](LineIn& i) { erf(i.x); }, [](LineIn& i) { erf(i.integers); }},
      {"erfc",
       [](LineIn& i) { erfc(i.x); },
       [](LineIn& i) { erfc(i.integers); }},
      {"relu",
       [](LineIn& i) { relu(i.x); },
       [](LineIn& i) { relu(i.integers); }},
      {"silu",
       [](LineIn& i) { silu(i.x); },
       [](LineIn& i) { silu(i.integers); }},
      {"gelu",
       [](LineIn& i) { gelu(i.x); },
       [](LineIn& i) { gelu(i.integers); }},
      {"gelu_tanh",
       [](LineIn& i) { gelu_tanh(i.x); },
       [](LineIn& i) { gelu_tanh(i.integers); }},
      {"softplus",
       [](LineIn& i) { softplus(softplus(i.x), 0.1); },
       [](LineIn& i) { softplus(i.x, -1); }},
      {"floor",
       [](LineIn& i) { floor(i.x); },
       [](LineIn& i) { floor(i.integers); }},
      {"ceil",
       [](LineIn& i) { ceil(i.x); },
       [](LineIn& i) { ceil(i.integers); }},
      {"round",
       [](LineIn& i) { round(i.x); },
       [](LineIn& i) { round(i.integers); }},
      {"is_finite", [](LineIn& i) { is_finite(i.x); }, nullptr},
      {"is_nan", [](LineIn& i) { is_nan(i.x); }, nullptr},
      {"atan2",
       [](LineIn& i) { atan2(i.x, i.y); },
       [](LineIn& i) { atan2(i.x, i.wide); }},
      {"xlogy",
       [](LineIn& i) { xlogy(i.x, i.y); },
       [](LineIn& i) { xlogy(i.x, i.wide); }},
      {"pow",
       [](LineIn& i) { pow(i.x, 2.0); },
       [](LineIn& i) { pow(i.x, i.wide); }},
      {"maximum",
       [](LineIn& i) { maximum(i.x, 0.0); },
       [](LineIn& i) { maximum(i.x, i.wide); }},
      {"minimum",
       [](LineIn& i) { minimum(i.x, i.y); },
       [](LineIn& i) { minimum(i.x, i.wide); }},
      {"clip",
       [](LineIn& i) { clip(i.x, 0, 1); },
       [](LineIn& i) { clip(Var(), 0, 1) + i.x; }},
      {"select",
       [](LineIn& i) { select(i.mask, i.x, 0.0); },
       [](LineIn& i) { select(i.mask, i.x, i.wide); }},
      {"zeros_like",
       [](LineIn& i) { zeros_like(i.x); },
       [](LineIn& i) { zeros_like(Var()) + i.x; }},
      {"hypot",
       [](LineIn& i) { hypot(i.x, i.y); },
       [](LineIn& i) { hypot(i.x, i.wide); }},
      {"safe_sqrt",
       [](LineIn& i) { safe_sqrt(i.x); },
       [](LineIn& i) { safe_sqrt(Var()) + i.x; }},
      {"safe_log",
       [](LineIn& i) { safe_log(i.x); },
       [](LineIn& i) { safe_log(Var()) + i.x; }},
      {"safe_div",
       [](LineIn& i) { safe_div(1.0, i.x); },
       [](LineIn& i) { safe_div(i.x, i.wide); }},
      {"safe_norm",
       [](LineIn& i) { safe_norm(i.x, {1}); },
       [](LineIn& i) { safe_norm(i.x, {7}); }},
      {"pointwise",
       [](LineIn& i) { pointwise(Product{}, i.x, i.y); },
       [](LineIn& i) { pointwise(Product{}, i.x, i.wide); }},
      {"math words",
       [](LineIn& i) {
         math::tanh(i.x);
         math::max(i.x, 0.5f);
         math::select(math::is_nan(i.x), 0.0f, i.x);
         math::clip(i.x, 0, 1);
       },
       [](LineIn& i) { math::pow(i.x, i.wide); }},
      {"custom",
       [](LineIn& i) { custom(Doubled{}, i.x); },
       [](LineIn& i) { custom(Doubled{}, i.integers); }},
      {"dropout",
       [](LineIn& i) { dropout(i.x, 0.5, {.name = "d"}); },
       [](LineIn& i) { dropout(i.x, 2, {.name = "d"}); }},
      {"uniform_like",
       [](LineIn& i) { uniform_like(i.x, {.name = "u"}); },
       [](LineIn& i) { uniform_like(Var(), {.name = "u"}) + i.x; }},
      {"normal_like",
       [](LineIn& i) { normal_like(i.x, {.name = "n"}); },
       [](LineIn& i) { normal_like(Var(), {.name = "n"}) + i.x; }},
      {"uniform",
       [](LineIn& i) { uniform(i.tape, {2}, {.name = "u"}); },
       [](LineIn& i) { uniform(i.tape, {-2}, {.name = "u"}); }},
      {"normal",
       [](LineIn& i) { normal(i.tape, {2}, {.name = "n"}); },
       [](LineIn& i) { normal(i.tape, {-2}, {.name = "n"}); }},
  };
}

}  // namespace gyre::internal::inline tests

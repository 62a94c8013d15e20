#include "gyre/autodiff/ops/custom_op.h"
#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/safe.h"
#include "tests/models/line_cases.h"

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

}  // namespace

std::vector<LineCase> ElementwiseLineCases() {
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
      {"math words",
       [](In& i) {
         math::tanh(i.x);
         math::max(i.x, 0.5f);
         math::select(math::is_nan(i.x), 0.0f, i.x);
         math::clip(i.x, 0, 1);
       },
       [](In& i) { math::pow(i.x, i.wide); }},
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

}  // namespace gyre

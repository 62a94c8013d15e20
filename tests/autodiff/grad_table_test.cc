// Every differentiable operation against finite differences, in f64. The test
// prints a table, so that a run shows what was checked and how well it fits.

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "gyre/models/losses.h"

namespace gyre::internal::inline tests {
namespace {

using Vars = std::span<const Var>;

// Numbers in (low, high), none near a kink at a round number.
Tensor UniformNumbers(Shape shape,
                      double low,
                      double high,
                      std::uint32_t stream) {
  Tensor t(DType::kF64, std::move(shape));
  const Rng rng({.seed = 5, .step = 0, .stream = stream});
  auto data = t.data<double>();
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = low + (high - low) * (0.01 + 0.98 * rng.Uniform(i));
  }
  return t;
}

struct Case {
  std::string name;
  std::vector<Tensor> inputs;
  VarFunction f;
};

void AddUnary(std::vector<Case>& cases,
              const std::string& name,
              double low,
              double high,
              std::function<Var(Var)> f) {
  cases.push_back({name, {UniformNumbers({2, 3}, low, high, 1)}, [f](Vars x) {
                     return f(x[0]);
                   }});
}

// Same shape, a broadcast row, a broadcast scalar, a column by a row.
void AddBinary(std::vector<Case>& cases,
               const std::string& name,
               double low,
               double high,
               std::function<Var(Var, Var)> f) {
  const std::pair<Shape, Shape> layouts[] = {
      {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{}, {2, 3}}, {{2, 1}, {1, 3}}};
  for (const auto& [a, b] : layouts) {
    cases.push_back(
        {Cat(name, " ", a, " ", b),
         {UniformNumbers(a, low, high, 1), UniformNumbers(b, low, high, 2)},
         [f](Vars x) { return f(x[0], x[1]); }});
  }
}

void AddElementwise(std::vector<Case>& cases) {
  AddUnary(cases, "neg", -2, 2, [](Var x) { return -x; });
  AddUnary(cases, "abs", 0.1, 2, [](Var x) { return abs(x - 3.0); });
  AddUnary(cases, "square", -2, 2, [](Var x) { return square(x); });
  AddUnary(cases, "sqrt", 0.5, 2, [](Var x) { return sqrt(x); });
  AddUnary(cases, "rsqrt", 0.5, 2, [](Var x) { return rsqrt(x); });
  AddUnary(cases, "reciprocal", 0.5, 2, [](Var x) { return reciprocal(x); });
  AddUnary(cases, "exp", -2, 2, [](Var x) { return exp(x); });
  AddUnary(cases, "expm1", -2, 2, [](Var x) { return expm1(x); });
  AddUnary(cases, "log", 0.5, 3, [](Var x) { return log(x); });
  AddUnary(cases, "log1p", -0.5, 3, [](Var x) { return log1p(x); });
  AddUnary(cases, "log2", 0.5, 3, [](Var x) { return log2(x); });
  AddUnary(cases, "sin", -3, 3, [](Var x) { return sin(x); });
  AddUnary(cases, "cos", -3, 3, [](Var x) { return cos(x); });
  AddUnary(cases, "tan", -1, 1, [](Var x) { return tan(x); });
  AddUnary(cases, "asin", -0.9, 0.9, [](Var x) { return asin(x); });
  AddUnary(cases, "acos", -0.9, 0.9, [](Var x) { return acos(x); });
  AddUnary(cases, "atan", -3, 3, [](Var x) { return atan(x); });
  AddUnary(cases, "sinh", -2, 2, [](Var x) { return sinh(x); });
  AddUnary(cases, "cosh", -2, 2, [](Var x) { return cosh(x); });
  AddUnary(cases, "tanh", -2, 2, [](Var x) { return tanh(x); });
  AddUnary(cases, "sigmoid", -4, 4, [](Var x) { return sigmoid(x); });
  AddUnary(cases, "erf", -2, 2, [](Var x) { return erf(x); });
  AddUnary(cases, "relu", 0.2, 2, [](Var x) { return relu(x - 1.1); });
  AddUnary(cases, "silu", -3, 3, [](Var x) { return silu(x); });
  AddUnary(cases, "gelu", -3, 3, [](Var x) { return gelu(x); });
  AddUnary(cases, "gelu_tanh", -3, 3, [](Var x) { return gelu_tanh(x); });
  AddUnary(cases, "softplus", -4, 4, [](Var x) { return softplus(x); });
  AddUnary(cases, "clip", -2, 2, [](Var x) { return clip(x, -0.77, 0.77); });
  AddBinary(cases, "add", -2, 2, [](Var a, Var b) { return a + b; });
  AddBinary(cases, "sub", -2, 2, [](Var a, Var b) { return a - b; });
  AddBinary(cases, "mul", -2, 2, [](Var a, Var b) { return a * b; });
  AddBinary(cases, "div", 0.5, 2, [](Var a, Var b) { return a / b; });
  AddBinary(cases, "pow", 0.5, 2, [](Var a, Var b) { return pow(a, b); });
  AddBinary(cases, "atan2", 0.5, 2, [](Var a, Var b) { return atan2(a, b); });
  AddBinary(cases, "xlogy", 0.5, 2, [](Var a, Var b) { return xlogy(a, b); });
  AddBinary(cases, "max", -2, 2, [](Var a, Var b) { return maximum(a, b); });
  AddBinary(cases, "min", -2, 2, [](Var a, Var b) { return minimum(a, b); });
  AddBinary(cases, "select", -2, 2, [](Var a, Var b) {
    return select(a > 0.123, a * a, b * 2.0);
  });
}

void AddReductions(std::vector<Case>& cases) {
  const Tensor x = UniformNumbers({2, 3, 4}, 0.5, 2, 3);
  const Tensor w = UniformNumbers({2, 3, 4}, 0.5, 2, 4);
  const std::vector<std::vector<int>> axes = {
      {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
  for (const auto& a : axes) {
    const std::string text = Cat(a.front(), "..", a.back(), "/", a.size());
    cases.push_back({"sum " + text, {x}, [a](Vars v) { return sum(v[0], a); }});
    cases.push_back({"max " + text, {x}, [a](Vars v) { return max(v[0], a); }});
    cases.push_back({"min " + text, {x}, [a](Vars v) { return min(v[0], a); }});
    cases.push_back(
        {"mean " + text, {x}, [a](Vars v) { return mean(v[0], a, true); }});
  }
  cases.push_back({"sum all", {x}, [](Vars v) { return sum(v[0]); }});
  cases.push_back({"mean all", {x}, [](Vars v) { return mean(v[0]); }});
  cases.push_back({"masked_mean", {x, w}, [](Vars v) {
                     return masked_mean(v[0], select(v[0] > 1.1, v[1], 0.0));
                   }});
  cases.push_back({"masked_sum", {x}, [](Vars v) {
                     return masked_sum(v[0] * v[0], v[0] > 1.1);
                   }});
}

void AddShapes(std::vector<Case>& cases) {
  const Tensor x = UniformNumbers({2, 3, 4}, -2, 2, 5);
  cases.push_back({"reshape", {x}, [](Vars v) {
                     return reshape(v[0], {4, -1}) * 2.0;
                   }});
  cases.push_back({"transpose", {x}, [](Vars v) {
                     return transpose(v[0], {2, 0, 1});
                   }});
  cases.push_back(
      {"broadcast_to", {UniformNumbers({3, 1}, -2, 2, 6)}, [](Vars v) {
         return broadcast_to(v[0], {2, 3, 4});
       }});
  cases.push_back({"slice", {x}, [](Vars v) {
                     return slice(slice(v[0], 2, 0, 4, 2), 1, 1, 3);
                   }});
  cases.push_back({"pad", {x}, [](Vars v) { return pad(v[0], 1, 2, 1, 7.0); }});
  cases.push_back(
      {"concat", {x, UniformNumbers({2, 1, 4}, -2, 2, 7)}, [](Vars v) {
         const Var parts[] = {v[0], v[1], v[0]};
         return concat(parts, 1);
       }});
  cases.push_back({"cast", {x}, [](Vars v) {
                     return cast(v[0] > 0.0, DType::kF64) * v[0];
                   }});
}

void AddProducts(std::vector<Case>& cases) {
  for (int t = 0; t < 4; ++t) {
    const bool ta = (t & 1) != 0;
    const bool tb = (t & 2) != 0;
    const Shape a = ta ? Shape({4, 3}) : Shape({3, 4});
    const Shape b = tb ? Shape({2, 4}) : Shape({4, 2});
    const auto f = [ta, tb](Vars v) { return matmul(v[0], v[1], ta, tb); };
    cases.push_back({Cat("matmul ", a, " ", b),
                     {UniformNumbers(a, -1, 1, 8), UniformNumbers(b, -1, 1, 9)},
                     f});
    const auto batched = [](const Shape& s) { return Shape({2, s[0], s[1]}); };
    cases.push_back({Cat("matmul ", batched(a), " ", batched(b)),
                     {UniformNumbers(batched(a), -1, 1, 8),
                      UniformNumbers(batched(b), -1, 1, 9)},
                     f});
    cases.push_back(
        {Cat("matmul ", batched(a), " ", b),
         {UniformNumbers(batched(a), -1, 1, 8), UniformNumbers(b, -1, 1, 9)},
         f});
  }
  const ConvOptions conv_cases[] = {{},
                                    {.padding = {1, 2}},
                                    {.stride = {2, 1}, .padding = {1, 1}},
                                    {.padding = {2, 2}, .dilation = {2, 1}},
                                    {.padding = {1, 1}, .groups = 2}};
  for (const ConvOptions& o : conv_cases) {
    cases.push_back({"conv2d " + o.ToString(),
                     {UniformNumbers({2, 4, 5, 6}, -1, 1, 10),
                      UniformNumbers({2, 4 / o.groups, 3, 3}, -1, 1, 11)},
                     [o](Vars v) { return conv2d(v[0], v[1], o); }});
  }
}

void AddPointwise(std::vector<Case>& cases) {
  const Tensor a = UniformNumbers({3, 7}, -2, 2, 12);
  const Tensor b = UniformNumbers({3, 7}, -2, 2, 13);
  cases.push_back({"pointwise huber", {a, b}, [](Vars v) {
                     return pointwise(Huber{0.5f}, v[0], v[1]);
                   }});
  cases.push_back({"pointwise log_cosh", {a, b}, [](Vars v) {
                     return pointwise(LogCosh{}, v[0], v[1]);
                   }});
  cases.push_back(
      {"pointwise row", {a, UniformNumbers({7}, -2, 2, 14)}, [](Vars v) {
         return pointwise(SquaredError{}, v[0], v[1]);
       }});
  cases.push_back(
      {"pointwise scalar", {a, UniformNumbers({}, -2, 2, 14)}, [](Vars v) {
         return pointwise(SquaredError{}, v[0], v[1]);
       }});
}

TEST(GradTable, EveryOperationMatchesFiniteDifferences) {
  std::vector<Case> cases;
  AddElementwise(cases);
  AddReductions(cases);
  AddShapes(cases);
  AddProducts(cases);
  AddPointwise(cases);
  for (const Case& c : cases) {
    const GradReport report = GradCheck(c.f, c.inputs);
    std::printf("%-60s worst %.1e\n", c.name.c_str(), report.worst);
    EXPECT_TRUE(report.ok) << c.name << ": " << report.text;
  }
}

// A gradient of a gradient, for operations whose products are operations.
TEST(GradTable, SecondDerivatives) {
  const auto twice = [](const std::function<Var(Var)>& f) {
    return [f](Vars v) {
      const Var wrt[] = {v[0]};
      return Gradients(sum(f(v[0])), wrt)[0];
    };
  };
  const Tensor x = UniformNumbers({5}, 0.4, 1.9, 15);
  const std::vector<std::pair<std::string, std::function<Var(Var)>>> fs = {
      {"exp", [](Var v) { return exp(v); }},
      {"log", [](Var v) { return log(v); }},
      {"tanh", [](Var v) { return tanh(v); }},
      {"sqrt", [](Var v) { return sqrt(v); }},
      {"gelu", [](Var v) { return gelu(v); }},
      {"cube", [](Var v) { return v * v * v; }},
      {"softplus", [](Var v) { return softplus(v); }}};
  for (const auto& [name, f] : fs) {
    const GradReport report = GradCheck(twice(f), {x});
    EXPECT_TRUE(report.ok) << name << ": " << report.text;
  }
}

// Products of two operands: by both of them, twice.
TEST(GradTable, SecondDerivativesOfProducts) {
  std::vector<Case> cases;
  AddProducts(cases);
  cases.push_back(
      {"einsum ij,jk->ik",
       {UniformNumbers({3, 4}, -1, 1, 20), UniformNumbers({4, 2}, -1, 1, 21)},
       [](Vars v) { return einsum("ij,jk->ik", v[0], v[1]); }});
  cases.push_back(
      {"einsum bhqd,bhkd->bhqk",
       {UniformNumbers({2, 2, 3, 2}, -1, 1, 22),
        UniformNumbers({2, 2, 4, 2}, -1, 1, 23)},
       [](Vars v) { return einsum("bhqd,bhkd->bhqk", v[0], v[1]); }});
  cases.push_back(
      {"einsum ij,kj->ijk (outer)",
       {UniformNumbers({2, 3}, -1, 1, 24), UniformNumbers({2, 3}, -1, 1, 25)},
       [](Vars v) { return einsum("ij,kj->ijk", v[0], v[1]); }});
  cases.push_back({"einsum ij->j (sum)",
                   {UniformNumbers({3, 4}, -1, 1, 26)},
                   [](Vars v) { return einsum("ij->j", v[0]); }});
  for (const Case& c : cases) {
    // The cube, and the squares of all gradients: nothing cancels.
    const auto twice = [&c](Vars v) {
      const Var y = c.f(v);
      Var total;
      for (const Var& g : Gradients(sum(y * y * y), v)) {
        const Var part = sum(g * g);
        total = total.tape() == nullptr ? part : total + part;
      }
      return total;
    };
    const GradReport report = GradCheck(twice, c.inputs, {.tolerance = 2e-5});
    std::printf("second %-53s worst %.1e\n", c.name.c_str(), report.worst);
    EXPECT_TRUE(report.ok) << c.name << ": " << report.text;
  }
}

// The checker must be able to fail.
TEST(GradCheck, FindsAWrongGradient) {
  const auto wrong = [](Vars v) { return v[0] * stop_gradient(v[0]); };
  const GradReport report = GradCheck(wrong, {UniformNumbers({3}, 1, 2, 1)});
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.input, 0);
  EXPECT_GT(report.worst, 0.4);
}

TEST(GradCheck, ReportsAnErrorOfTheTrace) {
  const auto broken = [](Vars v) { return v[0] + v[1]; };
  const GradReport report = GradCheck(
      broken, {UniformNumbers({3}, 1, 2, 1), UniformNumbers({4}, 1, 2, 1)});
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.text.find("do not broadcast"), std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

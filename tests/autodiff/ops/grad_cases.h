// Gradient checks as a list, printed as a table.

#ifndef GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_
#define GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {

using Vars = std::span<const Var>;

// Numbers in (low, high), none near a kink at a round number.
inline Tensor Numbers(Shape shape,
                      double low = -2,
                      double high = 2,
                      std::uint32_t stream = 1) {
  Tensor t(DType::kF64, std::move(shape));
  const Rng rng({.seed = 5, .step = 0, .stream = stream});
  auto data = t.data<double>();
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = low + (high - low) * (0.01 + 0.98 * rng.Uniform(i));
  }
  return t;
}

struct GradCase {
  std::string name;
  std::vector<Tensor> inputs;
  VarFunction f;
};

template <class T = double>
std::vector<T> Values(const Tensor& t) {
  const auto data = t.data<T>();
  return {data.begin(), data.end()};
}

// f and the gradient of sum(f) by each input, for these inputs. In any dtype.
inline std::vector<Tensor> ValueAndGrads(const VarFunction& f,
                                         const std::vector<Tensor>& inputs) {
  const auto result = Evaluate(
      [&f](Tape&, Vars v) {
        const Var y = f(v);
        std::vector<Var> results = {y};
        for (const Var& g : Gradients(sum(y), v)) results.push_back(g);
        return results;
      },
      inputs);
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return std::vector<Tensor>(inputs.size() + 1);
  }
  return *result;
}

// The largest difference between the gradients in f32 and in f64, relative to
// max(1, gradient).
inline double ErrorInF32(const GradCase& c) {
  std::vector<Tensor> narrow;
  for (const Tensor& x : c.inputs) {
    Tensor y(DType::kF32, x.shape());
    const auto from = x.data<double>();
    std::copy(from.begin(), from.end(), y.data<float>().begin());
    narrow.push_back(y);
  }
  const auto exact = ValueAndGrads(c.f, c.inputs);
  const auto rounded = ValueAndGrads(c.f, narrow);
  double worst = 0;
  for (std::size_t k = 1; k < exact.size(); ++k) {
    const auto a = Values(exact[k]);
    const auto b = Values<float>(rounded[k]);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double error =
          std::abs(a[i] - b[i]) / std::max(1.0, std::abs(a[i]));
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                : std::max(worst, error);
    }
  }
  return worst;
}

// Checks the gradient of each in f64 and, of the sum of cubes, the gradient of
// the gradient by the first input; in f32, the gradient against that in f64.
inline void CheckGradients(const std::vector<GradCase>& cases) {
  for (const GradCase& c : cases) {
    const GradReport report = GradCheck(c.f, c.inputs);
    EXPECT_TRUE(report.ok) << c.name << ": " << report.text;
    const auto gradient = [&c](Vars v) {
      const Var y = c.f(v);
      const Var wrt[] = {v[0]};
      return Gradients(sum(y * y * y), wrt)[0];
    };
    const GradReport second = GradCheck(gradient, c.inputs);
    EXPECT_TRUE(second.ok) << c.name << ", second: " << second.text;
    const double in_f32 = ErrorInF32(c);
    EXPECT_LT(in_f32, 2e-5) << c.name << " in f32";
    std::printf("%-40s f64 worst %.1e, second %.1e; f32 worst %.1e\n",
                c.name.c_str(),
                report.worst,
                second.worst,
                in_f32);
  }
}

inline Tensor F64(Shape shape, std::initializer_list<double> values) {
  return Tensor::Of<double>(std::move(shape), values);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_

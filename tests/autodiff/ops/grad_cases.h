// Gradient checks as a list, printed as a table.

#ifndef GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_
#define GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autodiff/grad_check.h"
#include "autodiff/ops/reduce.h"
#include "autodiff/ops/shape_ops.h"
#include "autodiff/tape.h"
#include "autodiff/vjp.h"
#include "core/rng.h"
#include "tests/support/evaluate.h"

namespace gyre {

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

// Checks the gradient of each, and with `second` the gradient of the sum of
// squares of its gradients by the first input.
inline void CheckGradients(const std::vector<GradCase>& cases,
                           bool second = true) {
  for (const GradCase& c : cases) {
    const GradReport report = GradCheck(c.f, c.inputs);
    EXPECT_TRUE(report.ok) << c.name << ": " << report.text;
    double worst = 0;
    if (second) {
      const auto squared = [&c](Vars v) {
        const Var y = c.f(v);
        const Var loss = sum(y * y * y);
        const Var wrt[] = {v[0]};
        return Gradients(loss, wrt)[0];
      };
      const GradReport twice = GradCheck(squared, c.inputs);
      EXPECT_TRUE(twice.ok) << c.name << ", second: " << twice.text;
      worst = twice.worst;
    }
    std::printf("%-52s f64  worst %.1e  second %.1e\n",
                c.name.c_str(),
                report.worst,
                worst);
  }
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

template <class T = double>
std::vector<T> Values(const Tensor& t) {
  const auto data = t.data<T>();
  return {data.begin(), data.end()};
}

inline Tensor F64(Shape shape, std::initializer_list<double> values) {
  return Tensor::Of<double>(std::move(shape), values);
}

}  // namespace gyre

#endif  // GYRE_TESTS_AUTODIFF_OPS_GRAD_CASES_H_

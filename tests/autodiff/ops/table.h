// Rows of a gradient table: what is checked, and how well it fits.

#ifndef GYRE_TESTS_AUTODIFF_OPS_TABLE_H_
#define GYRE_TESTS_AUTODIFF_OPS_TABLE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "tests/support/evaluate.h"
#include "tests/support/near.h"

namespace gyre::internal::inline tests::table {

using Vars = std::span<const Var>;

// Numbers in (low, high), the same in every run.
template <class T = double>
Tensor TableNumbers(Shape shape,
                    double low,
                    double high,
                    std::uint32_t stream) {
  Tensor t(DTypeOf<T>(), std::move(shape));
  const Rng rng({.seed = 5, .step = 0, .stream = stream});
  auto data = t.data<T>();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double part = 0.01 + 0.98 * rng.Uniform(i);
    data[i] = static_cast<T>(static_cast<float>(low + (high - low) * part));
  }
  return t;
}

// The same numbers in another float type.
template <class To, class From>
Tensor As(const Tensor& from) {
  Tensor to(DTypeOf<To>(), from.shape());
  for (std::int64_t i = 0; i < from.elements(); ++i) {
    to.data<To>()[i] =
        static_cast<To>(static_cast<float>(from.data<From>()[i]));
  }
  return to;
}

template <class T>
std::vector<double> Doubles(const Tensor& t) {
  std::vector<double> values;
  for (const T x : t.data<T>()) {
    values.push_back(static_cast<double>(static_cast<float>(x)));
  }
  return values;
}

struct Case {
  std::string name;
  std::vector<Tensor> inputs;
  VarFunction f;
};

// First derivatives, and one line for each.
inline void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    std::string layout;
    for (const Tensor& t : c.inputs) layout += Cat(" ", t.shape());
    const GradReport report = GradCheck(c.f, c.inputs);
    std::printf("%-34s%-50s worst %.1e\n",
                c.name.c_str(),
                layout.c_str(),
                report.worst);
    EXPECT_TRUE(report.ok) << c.name << ": " << report.text;
  }
}

// The gradient of the gradient by every input, contracted with x^2 so that
// nothing cancels.
inline void CheckTwice(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const auto f = c.f;
    const auto twice = [f](Vars v) {
      const Var y = f(v);
      const Var loss = sum(y * y * y);
      const std::vector<Var> first = Gradients(loss, v);
      Var total = sum(first[0] * first[0]);
      for (std::size_t i = 1; i < first.size(); ++i) {
        total = total + sum(first[i] * first[i]);
      }
      return total;
    };
    const GradReport report = GradCheck(twice, c.inputs, {.tolerance = 2e-5});
    EXPECT_TRUE(report.ok) << "twice " << c.name << ": " << report.text;
  }
}

// Value and gradients of sum(f * weights) in f32, by kernel set.
inline std::vector<Tensor> ValueAndGradients(const VarFunction& f,
                                             const std::vector<Tensor>& inputs,
                                             KernelSet set) {
  const auto result = Evaluate(
      [&](Tape&, Vars v) {
        const Var y = f(v);
        std::vector<Var> out = {y};
        for (const Var& g : Gradients(sum(y * y), v)) out.push_back(g);
        return out;
      },
      inputs,
      {.kernels = set});
  EXPECT_TRUE(result.ok()) << Message(result.status());
  return result.ok() ? *result : std::vector<Tensor>();
}

// The fast f32 kernels against the plain ones, for value and gradients.
inline void CompareKernels(const Case& c, double tolerance) {
  const auto fast = ValueAndGradients(c.f, c.inputs, KernelSet::kFast);
  const auto plain = ValueAndGradients(c.f, c.inputs, KernelSet::kReference);
  ASSERT_EQ(fast.size(), plain.size());
  for (std::size_t i = 0; i < fast.size(); ++i) {
    EXPECT_TRUE(
        AllNear(fast[i].data<float>(), Doubles<float>(plain[i]), tolerance))
        << c.name << ", result " << i;
  }
}

}  // namespace gyre::internal::inline tests::table

#endif  // GYRE_TESTS_AUTODIFF_OPS_TABLE_H_

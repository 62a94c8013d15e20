// Checks the gradient of any function of Vars against finite differences, in
// double precision. For your own functors and operations as much as for ours.
//
//   const auto f = [](std::span<const Var> x) {
//     return sum(pointwise(Huber{}, x[0], x[1]));
//   };
//   const GradReport report = GradCheck(f, inputs);
//   EXPECT_TRUE(report.ok) << report.text;
//
// Two tests: every element by a central difference, and the whole gradient
// against the difference along a random direction, which no element-wise
// mistake of the checker itself can pass by chance.
//
// WARNING 1: choose inputs away from kinks (abs at 0, ties of a maximum): a
// difference across a kink is not the derivative.

#ifndef GYRE_AUTODIFF_GRAD_CHECK_H_
#define GYRE_AUTODIFF_GRAD_CHECK_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/var.h"
#include "gyre/core/tensor.h"

namespace gyre {

// A result of any shape; the checker contracts it with fixed random weights.
using VarFunction = std::function<Var(std::span<const Var>)>;

struct GradCheckOptions {
  double step = 1e-5;         // of the central difference, times max(1, |x|)
  double tolerance = 1e-6;    // on |analytic - numeric| / max(1, |numeric|)
  std::vector<int> wrt = {};  // inputs to check; empty: all
};

struct GradReport {
  bool ok = false;
  double worst = 0;  // the largest relative error
  int input = -1;    // where it is
  std::int64_t element = -1;
  double analytic = 0;
  double numeric = 0;
  std::string text;  // all of this as a sentence, or the error
};

// `inputs` are f64 tensors. An error names the line of f, or this call's.
GradReport GradCheck(const VarFunction& f,
                     const std::vector<Tensor>& inputs,
                     const GradCheckOptions& options = {},
                     const char* file = __builtin_FILE(),
                     int line = __builtin_LINE());

}  // namespace gyre

#endif  // GYRE_AUTODIFF_GRAD_CHECK_H_

// The loss of loss.h before any training: is its gradient right, and what do
// inputs that break losses make of it?

#include "loss.h"

#include <gyre/check.h>
#include <gyre/gyre.h>

#include <cstdio>

using namespace gyre;

// An f64 column of first, first + step, ...
Tensor Column(double first, double step) {
  Tensor column(DType::kF64, {6, 1});
  for (double& x : column.data<double>()) {
    x = first;
    first += step;
  }
  return column;
}

// Compares the gradient with finite differences, away from the floor.
bool GradientIsRight() {
  const GradReport report = GradCheck(
      [](std::span<const Var> in) {
        return Loss(in[0], BatchVars(*in[0].tape(), {{"y", in[1]}}));
      },
      {Column(0.5, 0.3), Column(0.4, 0.2)});
  std::printf("%s\n", report.text.c_str());
  return report.ok;
}

// Tries zeros, negative, huge and tiny numbers, and what is alike.
bool StandsHardInputs() {
  const auto findings = StressLoss(Loss,
                                   {{"pred", {8, 1}, InputRole::kPrediction},
                                    {"y", {8, 1}, InputRole::kTarget}});
  if (!findings.ok()) {
    std::printf("%s\n", Message(findings.status()).c_str());
    return false;
  }
  std::printf("%s", Describe(*findings).c_str());
  return findings->empty();
}

int main() {
  const bool gradient = GradientIsRight();
  const bool hard = StandsHardInputs();
  std::printf("%s\n", gradient && hard ? "passed" : "FAILED");
  return gradient && hard ? 0 : 1;
}

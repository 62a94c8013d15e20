// The little task that the examples train on: find y = sin(3 a) + b / 2 from
// points (a, b), some of them spoiled by outliers.

#ifndef GYRE_APPS_EXAMPLES_PROBLEM_H_
#define GYRE_APPS_EXAMPLES_PROBLEM_H_

#include <gyre/data.h>

#include <cstdint>

namespace gyre::examples {

// 512 points in batches of 64: "x" (batch, 2) and "y" (batch, 1).
StatusOr<FunctionSource> Points(const Mesh& mesh);

}  // namespace gyre::examples

#endif  // GYRE_APPS_EXAMPLES_PROBLEM_H_

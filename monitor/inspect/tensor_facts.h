// Numbers about one tensor, and about two of them.

#ifndef GYRE_MONITOR_INSPECT_TENSOR_FACTS_H_
#define GYRE_MONITOR_INSPECT_TENSOR_FACTS_H_

#include <cstdint>
#include <vector>

#include "gyre/core/tensor.h"

namespace gyre::internal::inline monitor {

// As f64, whatever the type.
std::vector<double> ValuesOf(const Tensor& tensor);

struct TensorFacts {
  double least = 0;  // of the finite elements
  double largest = 0;
  double norm = 0;  // of the finite elements; sum of squares in f64
  std::int64_t not_finite = 0;
  std::int64_t first_not_finite = -1;
};
TensorFacts FactsOf(const Tensor& tensor);

struct TensorDifference {
  bool comparable = true;       // the same shape
  std::int64_t different = 0;   // elements whose values differ
  std::int64_t first = -1;      // the first of them
  double largest = 0;           // absolute difference of finite elements
  double relative = 0;          // norm of the difference over that of `a`
  double largest_relative = 0;  // of one element, over the larger of both
  std::int64_t not_finite_a = 0;
  std::int64_t not_finite_b = 0;
};
// Two NaN at one place are no difference.
TensorDifference Compare(const Tensor& a, const Tensor& b);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_INSPECT_TENSOR_FACTS_H_

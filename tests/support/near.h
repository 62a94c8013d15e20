// Comparisons of number lists that say which element differs.

#ifndef GYRE_TESTS_SUPPORT_NEAR_H_
#define GYRE_TESTS_SUPPORT_NEAR_H_

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace gyre::internal::inline tests {

// Every element within `tolerance`; NaN equals NaN.
template <class T>
testing::AssertionResult AllNear(std::span<const T> actual,
                                 const std::vector<double>& expected,
                                 double tolerance) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure()
           << actual.size() << " elements, expected " << expected.size();
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double a = static_cast<double>(actual[i]);
    const bool both_nan = std::isnan(a) && std::isnan(expected[i]);
    const bool same = a == expected[i];
    if (!both_nan && !same && !(std::abs(a - expected[i]) <= tolerance)) {
      return testing::AssertionFailure()
             << "element " << i << " is " << a << ", expected " << expected[i];
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_NEAR_H_

#include "gyre/autodiff/exec/row_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

std::vector<float> Ramp(std::int64_t n) {
  std::vector<float> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 17) - 8;
  return x;
}

TEST(RowLoops, SumMaxAndExpCoverEveryLength) {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 511, 512, 513, 2000}) {
    const std::vector<float> x = Ramp(n);
    double sum = 0, exps = 0;
    float top = -INFINITY;
    for (const float v : x) {
      sum += static_cast<double>(v);
      exps += std::exp(static_cast<double>(v) - 8);
      top = std::max(top, v);
    }
    EXPECT_EQ(rows::Sum(n,
                        [&](std::int64_t i, std::int64_t live) {
                          return rows::LoadLive(&x[i], live, 0.0f);
                        }),
              sum);
    EXPECT_EQ(rows::Max(x.data(), n), top);
    std::vector<float> y(n + 1, -1.0f);
    EXPECT_NEAR(
        rows::ExpAndSum(x.data(), y.data(), n, 8.0f), exps, 1e-6 * exps);
    EXPECT_EQ(y[n], -1.0f) << "written past the end";
  }
}

TEST(RowLoops, MaxLeavesNanOut) {
  std::vector<float> x = Ramp(20);
  x[3] = x[11] = NAN;
  EXPECT_EQ(rows::Max(x.data(), 20), 8.0f);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/core/simd.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Simd, PartialLoadFillsTheRestAndPartialStoreLeavesIt) {
  std::array<float, kLanes<float>> in, out;
  std::iota(in.begin(), in.end(), 1.0f);
  for (std::size_t n = 0; n <= kLanes<float>; ++n) {
    const FloatBatch x = LoadPartial(in.data(), n, -5.0f);
    for (std::size_t i = 0; i < kLanes<float>; ++i) {
      EXPECT_EQ(x.get(i), i < n ? in[i] : -5.0f);
    }
    out.fill(9.0f);
    StorePartial(out.data(), n, x);
    for (std::size_t i = 0; i < kLanes<float>; ++i) {
      EXPECT_EQ(out[i], i < n ? in[i] : 9.0f);
    }
  }
}

TEST(Simd, LanesAreSummedAsABalancedTree) {
  std::array<float, kLanes<float>> in;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / (3.0f + i);
  float expected;
  if constexpr (kLanes<float> == 8) {
    expected = ((in[0] + in[1]) + (in[2] + in[3])) +
               ((in[4] + in[5]) + (in[6] + in[7]));
    EXPECT_EQ(SumLanes(Load(in.data())), expected);
  }
}

TEST(Simd, FinitenessIsAskedPerLane) {
  std::array<float, kLanes<float>> in{};
  in[0] = kNan;
  in[1] = -kInf;
  in[2] = std::numeric_limits<float>::max();
  in[3] = std::numeric_limits<float>::denorm_min();
  const auto finite = IsFinite(Load(in.data()));
  EXPECT_FALSE(finite.get(0));
  EXPECT_FALSE(finite.get(1));
  EXPECT_TRUE(finite.get(2));
  EXPECT_TRUE(finite.get(3));
  EXPECT_FALSE(IsFinite(DoubleBatch(double{kNan})).get(1));
  EXPECT_FALSE(IsFinite(DoubleBatch(double{kInf})).get(1));
  EXPECT_TRUE(IsFinite(DoubleBatch(1e308)).get(1));
}

TEST(Simd, ConstantsCompareFromTheLeft) {
  const FloatBatch x(0.5f);
  EXPECT_TRUE(xsimd::all(0.25f < x));
  EXPECT_TRUE(xsimd::all(0.5 <= x));
  EXPECT_TRUE(xsimd::all(1 > x));
  EXPECT_FALSE(xsimd::any(0.25f >= x));
  EXPECT_FALSE(xsimd::any(kNan <= x));
}

}  // namespace
}  // namespace gyre::internal::inline tests

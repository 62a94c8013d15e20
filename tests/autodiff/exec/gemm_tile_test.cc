#include "gyre/autodiff/exec/gemm_tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

TEST(GemmTile, ReadsStridedAndTransposedOperands) {
  const float a[] = {1, 2, 9, 3, 4, 9};  // (2, 2), rows 3 apart
  const float b[] = {1, 0, 2, 1};        // (2, 2), read transposed
  float c[] = {10, 10, 10, 10};
  ASSERT_TRUE(GemmTile(2, 2, 2, 2.0f, {a, 3}, {b, 2, true}, 1.0f, c, 2).ok());
  EXPECT_THAT(c, ElementsAre(12, 18, 16, 30));
}

TEST(GemmTile, ABetaOfZeroReadsNothing) {
  const float one = 1;
  float c = NAN;
  ASSERT_TRUE(GemmTile(1, 1, 1, 1.0f, {&one, 1}, {&one, 1}, 0.0f, &c, 1).ok());
  EXPECT_EQ(c, 1.0f);
}

TEST(GemmTile, AnEmptySumIsZero) {
  float c[] = {NAN, 7};
  ASSERT_TRUE(
      GemmTile(1, 1, 0, 1.0f, {nullptr, 1}, {nullptr, 1}, 0.0f, c, 1).ok());
  EXPECT_THAT(c, ElementsAre(0, 7));
}

}  // namespace
}  // namespace gyre::internal::inline tests

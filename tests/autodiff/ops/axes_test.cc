#include "gyre/autodiff/ops/axes.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using Axes = std::vector<int>;

TEST(Axes, AreCountedFromTheFrontAndSorted) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(*SortedAxes(shape, {-1, 0}), (Axes{0, 2}));
  EXPECT_EQ(*SortedAxes(shape, {}), Axes());
  EXPECT_EQ(*SortedAxes({}, {}), Axes());
  EXPECT_EQ(Message(SortedAxes(shape, {1, -2}).status()),
            "an axis of shape (2, 3, 4) is named twice");
  EXPECT_FALSE(SortedAxes(shape, {3}).ok());
  EXPECT_FALSE(SortedAxes({}, {0}).ok());
  EXPECT_EQ(AllAxes(3), (Axes{0, 1, 2}));
}

TEST(Axes, ShapesOfReductions) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(KeptShape(shape, {0, 2}), Shape({1, 3, 1}));
  EXPECT_EQ(ReducedShape(shape, {0, 2}), Shape({3}));
  EXPECT_EQ(ReducedShape(shape, {0, 1, 2}), Shape());
  EXPECT_EQ(CountOf(shape, {0, 2}), 8);
  EXPECT_EQ(CountOf(shape, {}), 1);
}

}  // namespace
}  // namespace gyre::internal::inline tests

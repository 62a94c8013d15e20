#include "gyre/autodiff/exec/tile_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace gyre::internal::inline tests {
namespace {

std::vector<std::int64_t> Offsets(const Shape& extents,
                                  const std::vector<std::int64_t>& strides,
                                  std::int64_t begin) {
  const TileLayout layout(extents, strides);
  TileLayout::Cursor cursor(layout, begin);
  const std::int64_t stride = layout.stride(layout.rank() - 1);
  std::vector<std::int64_t> offsets;
  while (begin < extents.elements()) {
    for (std::int64_t i = 0; i < cursor.run(); ++i, ++begin) {
      offsets.push_back(cursor.offset() + i * stride);
    }
    cursor.NextRun();
  }
  return offsets;
}

std::vector<std::int64_t> NaiveTileLayout(
    const Shape& extents,
    const std::vector<std::int64_t>& strides,
    std::int64_t begin) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t flat = begin; flat < extents.elements(); ++flat) {
    std::int64_t rest = flat, offset = 0;
    for (int axis = extents.rank() - 1; axis >= 0; --axis) {
      offset += rest % extents[axis] * strides[axis];
      rest /= extents[axis];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

TEST(TileLayout, SimplePatternsNeedOneAxis) {
  EXPECT_TRUE(TileLayout(Shape({2, 3, 4}), {12, 4, 1}).dense());
  EXPECT_TRUE(TileLayout(Shape({2, 1, 4}), {4, 0, 1}).dense());
  EXPECT_TRUE(TileLayout(Shape({2, 3}), {0, 0}).uniform());
  EXPECT_TRUE(TileLayout(Shape({}), {}).dense());
  EXPECT_TRUE(TileLayout(Shape({1, 1}), {7, 7}).dense());
  const TileLayout rows(Shape({5, 2, 3}), {0, 3, 1});
  EXPECT_EQ(rows.rank(), 2);
  EXPECT_EQ(rows.extent(1), 6);
  const TileLayout spread(Shape({4, 3}), {6, 2});
  EXPECT_EQ(spread.rank(), 1);
  EXPECT_EQ(spread.stride(0), 2);
  EXPECT_FALSE(spread.dense());
}

TEST(TileLayout, CursorFollowsEveryPatternFromAnyStart) {
  const Shape extents({3, 4, 5});
  const std::vector<std::vector<std::int64_t>> patterns = {{20, 5, 1},
                                                           {0, 5, 1},
                                                           {0, 0, 1},
                                                           {1, 0, 0},
                                                           {0, 1, 0},
                                                           {4, 1, 0},
                                                           {1, 3, 12},
                                                           {5, 0, 1},
                                                           {0, 1, 4},
                                                           {-20, -5, -1},
                                                           {40, 10, 2}};
  for (const auto& strides : patterns) {
    for (const std::int64_t begin : {0, 1, 4, 5, 19, 20, 37, 59}) {
      EXPECT_EQ(Offsets(extents, strides, begin),
                NaiveTileLayout(extents, strides, begin));
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/exec/tile_schedule.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TileSchedule Schedule(const TileProgram& p) {
  std::vector<TileLayout> layouts;
  for (const TileInput& input : p.inputs) {
    layouts.emplace_back(p.extents, input.strides);
  }
  return ScheduleTile(p, layouts, 64);
}

TEST(TileSchedule, AChainNeedsTwoTiles) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({1000})};
  auto r = p.AddInput(DType::kF32, {1});
  for (int i = 0; i < 10; ++i) r = p.Emit(Code::kExp, r);
  p.AddOutput(r, DType::kF32);
  const TileSchedule s = Schedule(p);
  // The input's and that of the first result, in which the others follow.
  EXPECT_EQ(s.scratch_bytes, 64 + 2 * kTileElements * sizeof(float));
  EXPECT_EQ(s.per_tile.size(), 11u);
  EXPECT_EQ(s.direct[r], 0);
  EXPECT_EQ(s.written_at[0], 10);
  EXPECT_EQ(s.last_read[0], 1);
}

TEST(TileSchedule, UnreadWorkIsLeftOut) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({1000})};
  const auto x = p.AddInput(DType::kF32, {1});
  const auto unread_input = p.AddInput(DType::kF32, {1});
  const auto unread = p.Emit(Code::kExp, unread_input);
  p.Emit(Code::kLog, unread);
  p.AddOutput(p.Emit(Code::kNeg, x), DType::kF32);
  const TileSchedule s = Schedule(p);
  ASSERT_EQ(s.per_tile.size(), 2u);
  EXPECT_EQ(s.per_tile[0].kind, TileStep::Kind::kLoad);
  EXPECT_EQ(s.per_tile[0].index, x);
  EXPECT_EQ(s.per_tile[1].index, 2);
  EXPECT_EQ(s.last_read[1], -1);
}

TEST(TileSchedule, UniformWorkIsDoneOnce) {
  TileProgram p{.compute = DType::kF64, .extents = Shape({1000})};
  const auto x = p.AddInput(DType::kF64, {1});
  const auto lr = p.AddInput(DType::kF64, {0});
  const auto scaled = p.Emit(Code::kMul, lr, p.Constant(2));
  p.AddOutput(p.Emit(Code::kMul, x, scaled), DType::kF64);
  const TileSchedule s = Schedule(p);
  EXPECT_EQ(s.once.size(), 3u);  // load, constant, mul
  EXPECT_EQ(s.per_tile.size(), 2u);
  EXPECT_TRUE(s.uniform[scaled]);
  EXPECT_FALSE(s.uniform[p.outputs[0].reg]);
}

}  // namespace
}  // namespace gyre::internal::inline tests

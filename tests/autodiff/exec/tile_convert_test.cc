#include "gyre/autodiff/exec/tile_convert.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

template <class M, class T>
T LoadOne(M value, DType memory) {
  T out[3] = {};
  FindTileLoad(memory, DTypeOf<T>())(reinterpret_cast<std::byte*>(&value),
                                     0,
                                     reinterpret_cast<std::byte*>(out),
                                     3);
  EXPECT_TRUE(std::memcmp(&out[0], &out[2], sizeof(T)) == 0);
  return out[0];
}

template <class M, class T>
M StoreOne(T value, DType memory) {
  M out{};
  FindTileStore(memory, DTypeOf<T>())(reinterpret_cast<std::byte*>(&value),
                                      reinterpret_cast<std::byte*>(&out),
                                      1);
  return out;
}

TEST(TileConvert, LoadsEveryType) {
  EXPECT_EQ((LoadOne<float, float>(1.5f, DType::kF32)), 1.5f);
  EXPECT_EQ((LoadOne<double, float>(0.1, DType::kF64)), 0.1f);
  EXPECT_EQ((LoadOne<float, double>(0.1f, DType::kF32)), double{0.1f});
  EXPECT_EQ((LoadOne<BFloat16, float>(BFloat16(-2.5f), DType::kBF16)), -2.5f);
  EXPECT_EQ((LoadOne<Half, double>(Half(0.25f), DType::kF16)), 0.25);
  EXPECT_EQ((LoadOne<std::int32_t, float>(-7, DType::kI32)), -7.0f);
  EXPECT_EQ((LoadOne<std::int64_t, double>(1ll << 40, DType::kI64)), 0x1p40);
  EXPECT_EQ((LoadOne<std::uint8_t, float>(200, DType::kU8)), 200.0f);
  EXPECT_EQ((LoadOne<std::uint8_t, float>(2, DType::kBool)), 1.0f);
  EXPECT_EQ((LoadOne<std::uint8_t, float>(0, DType::kBool)), 0.0f);
}

TEST(TileConvert, StridedLoads) {
  const std::array<std::int32_t, 7> in = {1, 2, 3, 4, 5, 6, 7};
  std::array<float, 3> out{};
  const auto load = FindTileLoad(DType::kI32, DType::kF32);
  auto* dst = reinterpret_cast<std::byte*>(out.data());
  load(reinterpret_cast<const std::byte*>(&in[0]), 3, dst, 3);
  EXPECT_EQ(out, (std::array<float, 3>{1, 4, 7}));
  load(reinterpret_cast<const std::byte*>(&in[6]), -2, dst, 3);
  EXPECT_EQ(out, (std::array<float, 3>{7, 5, 3}));
}

TEST(TileConvert, StoresRoundSaturateAndKeepNan) {
  EXPECT_EQ((StoreOne<float, double>(0.1, DType::kF32)), 0.1f);
  EXPECT_EQ((StoreOne<std::int32_t>(-2.9f, DType::kI32)), -2);
  EXPECT_EQ((StoreOne<std::int32_t>(kNan, DType::kI32)), 0);
  EXPECT_EQ((StoreOne<std::int32_t>(kInf, DType::kI32)), INT32_MAX);
  EXPECT_EQ((StoreOne<std::int32_t>(-1e20f, DType::kI32)), INT32_MIN);
  EXPECT_EQ((StoreOne<std::int64_t>(1e30, DType::kI64)), INT64_MAX);
  EXPECT_EQ((StoreOne<std::int64_t>(-0x1p63, DType::kI64)), INT64_MIN);
  EXPECT_EQ((StoreOne<std::uint8_t>(255.9f, DType::kU8)), 255);
  EXPECT_EQ((StoreOne<std::uint8_t>(300.0f, DType::kU8)), 255);
  EXPECT_EQ((StoreOne<std::uint8_t>(-1.0f, DType::kU8)), 0);
  EXPECT_EQ((StoreOne<std::uint8_t>(kNan, DType::kBool)), 1);
  EXPECT_EQ((StoreOne<std::uint8_t>(-0.0f, DType::kBool)), 0);
  EXPECT_EQ((StoreOne<std::uint8_t>(0.5f, DType::kBool)), 1);
  EXPECT_EQ((StoreOne<BFloat16>(1.0f, DType::kBF16)).bits, 0x3f80);
  EXPECT_TRUE(
      std::isnan(static_cast<float>(StoreOne<Half>(kNan, DType::kF16))));
}

}  // namespace
}  // namespace gyre::internal::inline tests

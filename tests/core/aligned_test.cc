#include "gyre/core/aligned.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gyre::internal::inline tests {
namespace {

TEST(Aligned, GivesZeroedWholeLinesOfAnySize) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::size_t bytes : {std::size_t{0},
                                  std::size_t{1},
                                  std::size_t{65},
                                  4 * kMiB - 1,
                                  4 * kMiB,
                                  5 * kMiB + 3}) {
    const AlignedBuffer buffer = AllocateAligned(bytes);
    ASSERT_NE(buffer, nullptr) << bytes;
    const auto at = reinterpret_cast<std::uintptr_t>(buffer.get());
    EXPECT_EQ(at % kAlignment, 0u) << bytes;
    const std::size_t whole = std::max(AlignUp(bytes), kAlignment);
    EXPECT_TRUE(std::all_of(buffer.get(), buffer.get() + whole, [](auto b) {
      return b == std::byte{0};
    })) << bytes;
    buffer[whole - 1] = std::byte{1};  // may be written
  }
}

TEST(Aligned, RefusesMoreThanThereIs) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(AllocateAligned(kAll), nullptr);
  EXPECT_EQ(AllocateAligned(kAll / 2), nullptr);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "apps/gyre/bench/byte_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

TEST(ByteSizesTest, PowersOf1024) {
  EXPECT_THAT(*ParseByteSizes("4,4K,64M,1G"),
              ElementsAre(4, 4096, 64 << 20, 1 << 30));
  EXPECT_THAT(*ParseByteSizes("1000"), ElementsAre(1000));
}

TEST(ByteSizesTest, WhatIsNoSizeIsRefused) {
  for (const char* bad :
       {"", "4,", "K", "0", "-1", "4k", "4KB", "4 K", "x", "99999999G"}) {
    const auto sizes = ParseByteSizes(bad);
    ASSERT_FALSE(sizes.ok()) << bad;
    EXPECT_EQ(KindOf(sizes.status()), ErrorKind::kConfig);
  }
}

TEST(ByteSizesTest, Text) {
  EXPECT_EQ(ByteSizeText(4), "4");
  EXPECT_EQ(ByteSizeText(4096), "4K");
  EXPECT_EQ(ByteSizeText(1536), "1536");
  EXPECT_EQ(ByteSizeText(std::size_t{3} << 30), "3G");
}

}  // namespace
}  // namespace gyre::internal::inline tests

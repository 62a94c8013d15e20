#include "gyre/collectives/shared_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gyre::internal::inline tests {
namespace {

TEST(SharedTextTest, KeepsTextsOfAllLengthsAndCutsLongOnes) {
  SharedText<32> shared = {};
  EXPECT_EQ(shared.Load(), "");
  for (std::size_t n = 0; n < 50; ++n) {
    shared.Store(std::string(n, static_cast<char>('a' + n % 26)));
    EXPECT_EQ(shared.Load(),
              std::string(std::min<std::size_t>(n, 31),
                          static_cast<char>('a' + n % 26)));
  }
}

TEST(SharedTextTest, AShorterTextLeavesNothingOfALongerOne) {
  SharedText<32> shared = {};
  shared.Store("a long text that fills it all");
  shared.Store("12345678");
  EXPECT_EQ(shared.Load(), "12345678");
  shared.Store("");
  EXPECT_EQ(shared.Load(), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

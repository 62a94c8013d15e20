#include "gyre/core/nearest_word.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TEST(NearestWord, FindsSlipsAndNothingElse) {
  const std::vector<std::string> words = {"steps", "seed", "hidden", "data"};
  EXPECT_EQ(NearestWord("step", words), "steps");
  EXPECT_EQ(NearestWord("setps", words), "steps");
  EXPECT_EQ(NearestWord("hid", words), "hidden");
  EXPECT_EQ(NearestWord("date", words), "data");
  EXPECT_EQ(NearestWord("output", words), "");
  EXPECT_EQ(NearestWord("", words), "");
  EXPECT_EQ(NearestWord("x", {}), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

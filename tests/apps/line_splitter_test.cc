#include "apps/gyre/launch/line_splitter.h"

#include <gtest/gtest.h>

#include <string>

namespace gyre::internal::inline tests {
namespace {

TEST(LineSplitterTest, MarksEachLineOnce) {
  LineSplitter lines("[2] ");
  EXPECT_EQ(lines.Feed("one\ntwo\n"), "[2] one\n[2] two\n");
}

TEST(LineSplitterTest, KeepsAPartUntilItsLineIsComplete) {
  LineSplitter lines("[0] ");
  EXPECT_EQ(lines.Feed("fir"), "");
  EXPECT_EQ(lines.Feed("st\nsec"), "[0] first\n");
  EXPECT_EQ(lines.Finish(), "[0] sec\n");
  EXPECT_EQ(lines.Finish(), "");
}

TEST(LineSplitterTest, EmptyLinesAndNoInput) {
  LineSplitter lines("[0] ");
  EXPECT_EQ(lines.Feed(""), "");
  EXPECT_EQ(lines.Feed("\n\n"), "[0] \n[0] \n");
}

TEST(LineSplitterTest, AnEndlessLineIsGivenOutInPieces) {
  LineSplitter lines("> ");
  const std::string piece(LineSplitter::kMaxLine, 'x');
  EXPECT_EQ(lines.Feed(piece), "> " + piece + "\n");
  EXPECT_EQ(lines.Feed("y\n"), "> y\n");
}

}  // namespace
}  // namespace gyre::internal::inline tests

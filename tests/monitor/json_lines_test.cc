#include "gyre/monitor/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

TEST(ReadJsonLines, ReadsEachLine) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "1\n[2]\n{\"a\":3}\n").ok());
  const StatusOr<std::vector<Json>> lines = ReadJsonLines(dir / "f");
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_EQ((*lines)[2].Dump(), "{\"a\":3}");
}

TEST(ReadJsonLines, EmptyFileAndHalfLine) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "").ok());
  EXPECT_TRUE(ReadJsonLines(dir / "f")->empty());
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "1\n{\"a\"").ok());
  EXPECT_EQ(ReadJsonLines(dir / "f")->size(), 1u);
}

TEST(ReadJsonLines, ErrorsNameTheLine) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "1\n\n3\n").ok());
  EXPECT_THAT(Message(ReadJsonLines(dir / "f").status()),
              testing::HasSubstr("f:2 is not valid JSON"));
  EXPECT_FALSE(ReadJsonLines(dir / "none").ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

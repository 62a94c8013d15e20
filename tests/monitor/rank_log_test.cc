#include "gyre/monitor/rank_log.h"

#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "gyre/monitor/json_lines.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

TEST(RankLog, ABadStepIsWrittenAtOnceTheRestAtClose) {
  const TempDir dir;
  auto log = RankLog::Open(dir / "00003.jsonl");
  ASSERT_TRUE(log.ok()) << Message(log.status());
  ASSERT_TRUE(log->Write({.step = 1, .local_norm = 0.5}).ok());
  EXPECT_EQ(*ReadFile(dir / "00003.jsonl"), "");
  ASSERT_TRUE(log->Write({.step = 2, .bad_elements = 3}).ok());
  EXPECT_EQ(ReadJsonLines(dir / "00003.jsonl")->size(), 2u);
  ASSERT_TRUE(log->Write({.step = 3}).ok());
  ASSERT_TRUE(log->Close().ok());
  const auto lines = ReadJsonLines(dir / "00003.jsonl");
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_EQ(*(*lines)[0].GetDouble("local_norm"), 0.5);
  EXPECT_EQ(*(*lines)[1].GetInt("bad_elements"), 3);
}

}  // namespace
}  // namespace gyre::internal::inline tests

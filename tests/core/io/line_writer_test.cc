#include "gyre/core/io/line_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(LineWriter, AppendsToWhatIsThere) {
  TempDir dir;
  for (const char* line : {"one", "two"}) {
    StatusOr<LineWriter> writer = LineWriter::Open(dir / "log");
    ASSERT_TRUE(writer.ok()) << writer.status();
    EXPECT_TRUE(writer->Write(line).ok());
    EXPECT_TRUE(writer->Close().ok());
  }
  EXPECT_EQ(*ReadFile(dir / "log"), "one\ntwo\n");
}

TEST(LineWriter, ClosesTheHalfLineOfACrash) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "log", "whole\nhal").ok());
  StatusOr<LineWriter> writer = LineWriter::Open(dir / "log");
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_TRUE(writer->Write("next").ok());
  EXPECT_EQ(*ReadFile(dir / "log"), "whole\nhal\nnext\n");
}

TEST(LineWriter, LinesOfSeveralWritersDoNotMix) {
  TempDir dir;
  constexpr int kLines = 500;
  std::vector<std::thread> threads;
  for (char who = 'a'; who < 'd'; ++who) {
    threads.emplace_back([&dir, who] {
      StatusOr<LineWriter> writer = LineWriter::Open(dir / "log");
      ASSERT_TRUE(writer.ok());
      for (int i = 0; i < kLines; ++i) {
        EXPECT_TRUE(writer->Write(std::string(200, who)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream text(*ReadFile(dir / "log"));
  int count = 0;
  for (std::string line; std::getline(text, line); ++count) {
    EXPECT_EQ(line, std::string(200, line[0]));
  }
  EXPECT_EQ(count, 3 * kLines);
}

TEST(LineWriter, ErrorsNameThePath) {
  const Status missing = LineWriter::Open("/no/such/log").status();
  EXPECT_EQ(KindOf(missing), ErrorKind::kConfig);
  EXPECT_THAT(Message(missing), HasSubstr("/no/such/log"));

  StatusOr<LineWriter> full = LineWriter::Open("/dev/full");
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_THAT(Message(full->Write("x")), HasSubstr("free some space"));
}

TEST(LineWriterDeathTest, ALineBreakInARecordIsOurFault) {
  TempDir dir;
  StatusOr<LineWriter> writer = LineWriter::Open(dir / "log");
  ASSERT_TRUE(writer.ok());
  EXPECT_DEATH(writer->Write("a\nb").IgnoreError(), "line break");
}

}  // namespace
}  // namespace gyre::internal::inline tests

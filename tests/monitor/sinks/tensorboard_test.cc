// tests/python/tensorboard_reads_events.py reads the files with the real one.

#include "gyre/monitor/sinks/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gyre/core/io/file.h"
#include "gyre/monitor/sinks/crc32c.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

// The data of all records, their checksums checked.
std::vector<std::string> Records(const std::string& path) {
  const std::string bytes = *ReadFile(path);
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t length = 0;
    std::uint32_t crc = 0;
    std::memcpy(&length, bytes.data() + at, 8);
    std::memcpy(&crc, bytes.data() + at + 8, 4);
    EXPECT_EQ(crc, MaskedCrc32c(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    std::memcpy(&crc, bytes.data() + at + 12 + length, 4);
    EXPECT_EQ(crc, MaskedCrc32c(records.back()));
    at += 16 + length;
  }
  return records;
}

TEST(TensorboardWriter, WritesAVersionAndThenTheScalars) {
  TempDir dir;
  auto board = TensorboardWriter::Open(dir / "tensorboard");
  ASSERT_TRUE(board.ok()) << board.status();
  ASSERT_TRUE(board->Write(300, {{"loss", 0.5}, {"lr", 1e-3}}).ok());
  ASSERT_TRUE(board->Close().ok());
  const std::vector<std::string> records = Records(board->path());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_THAT(records[0], testing::HasSubstr("brain.Event:2"));
  // step 300 as a varint; tag "loss" and the f32 0.5.
  EXPECT_THAT(records[1], testing::HasSubstr("\x10\xAC\x02"));
  EXPECT_THAT(
      records[1],
      testing::HasSubstr(std::string("\x0A\x04loss\x15\0\0\0\x3F", 11)));
}

TEST(TensorboardWriter, AStepThatWasBadIsOnDiskAtOnce) {
  TempDir dir;
  auto board = TensorboardWriter::Open(dir / "t");
  ASSERT_TRUE(board.ok());
  ASSERT_TRUE(board->Write(0, {{"loss", NAN}}).ok());
  EXPECT_EQ(Records(board->path()).size(), 1u);
  ASSERT_TRUE(board->Write(1, {{"loss", NAN}}, true).ok());
  EXPECT_EQ(Records(board->path()).size(), 3u);
}

// Event 7 session_log {1 status: 1 START}, with the step: readers drop what
// they have of it and later ones.
TEST(TensorboardWriter, ARunThatGoesOnSaysFromWhere) {
  TempDir dir;
  auto board = TensorboardWriter::Open(dir / "t", 300);
  ASSERT_TRUE(board.ok());
  const std::vector<std::string> records = Records(board->path());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_THAT(records[1], testing::HasSubstr("\x10\xAC\x02"));
  EXPECT_THAT(records[1], testing::EndsWith("\x3A\x02\x08\x01"));
}

TEST(TensorboardWriter, EachOpenIsAFileOfItsOwn) {
  TempDir dir;
  const auto a = TensorboardWriter::Open(dir / "t");
  const auto b = TensorboardWriter::Open(dir / "t");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a->path(), b->path());
}

TEST(TensorboardWriter, SaysWhereItCannotWrite) {
  const auto board = TensorboardWriter::Open("/proc/nowhere");
  EXPECT_THAT(Message(board.status()), testing::HasSubstr("/proc/nowhere"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/core/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadFile, ReturnsEveryByte) {
  TempDir dir;
  std::string bytes(100'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(i * 31);
  ASSERT_TRUE(WriteFileAtomically(dir / "f", bytes).ok());
  const StatusOr<std::string> back = ReadFile(dir / "f");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, bytes);
}

TEST(ReadFile, ReadsAnEmptyFileAndOneOfProc) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "").ok());
  EXPECT_EQ(*ReadFile(dir / "f"), "");
  // The size of a file of /proc is 0, and yet there is text in it.
  EXPECT_THAT(*ReadFile("/proc/self/status"), HasSubstr("Pid:"));
}

TEST(ReadFile, NamesPathReasonAndAdvice) {
  const Status status = ReadFile("/no/such/file").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("/no/such/file"),
                    HasSubstr("No such file"),
                    HasSubstr("check the path")));
}

TEST(ReadFile, RefusesAFolder) {
  TempDir dir;
  const Status status = ReadFile(dir.path(), ErrorKind::kConfig).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_THAT(Message(status), HasSubstr("it is a folder"));
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBeside) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "old").ok());
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "new").ok());
  EXPECT_EQ(*ReadFile(dir / "f"), "new");
  EXPECT_THAT(*ListDirectory(dir.path()), ElementsAre("f"));
}

TEST(WriteFileAtomically, JoinsParts) {
  TempDir dir;
  const std::string_view parts[] = {"ab", "", "cd"};
  ASSERT_TRUE(WriteFileAtomically(dir / "f", parts).ok());
  EXPECT_EQ(*ReadFile(dir / "f"), "abcd");
}

TEST(WriteFileAtomically, LeavesNothingBesideAfterAnError) {
  TempDir dir;
  // A folder that is not empty cannot be replaced by a file.
  ASSERT_TRUE(CreateDirectories(dir / "f/g").ok());
  const Status status =
      WriteFileAtomically(dir / "f", "x", ErrorKind::kCheckpoint);
  EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint);
  EXPECT_THAT(Message(status), HasSubstr(dir / "f"));
  EXPECT_THAT(*ListDirectory(dir.path()), ElementsAre("f"));
}

TEST(WriteFileAtomically, NeedsTheFolder) {
  TempDir dir;
  const Status status = WriteFileAtomically(dir / "no/f", "x");
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_THAT(Message(status), HasSubstr(dir / "no/f"));
}

TEST(WriteFileAtomically, ReaderSeesOldOrNewButNeverHalf) {
  TempDir dir;
  const std::string a(50'000, 'a');
  const std::string b(60'000, 'b');
  ASSERT_TRUE(WriteFileAtomically(dir / "f", a).ok());
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(WriteFileAtomically(dir / "f", i % 2 == 0 ? b : a).ok());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = *ReadFile(dir / "f");
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
  }
  writer.join();
}

TEST(CreateDirectories, MakesThoseAboveAndIsContentWithWhatIsThere) {
  TempDir dir;
  EXPECT_TRUE(CreateDirectories(dir / "a/b/c").ok());
  EXPECT_TRUE(CreateDirectories(dir / "a/b/c").ok());
  EXPECT_TRUE(DirectoryExists(dir / "a/b/c"));
}

TEST(CreateDirectories, AFileInTheWayIsAnError) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "x").ok());
  EXPECT_THAT(Message(CreateDirectories(dir / "f")), HasSubstr(dir / "f"));
  EXPECT_THAT(Message(CreateDirectories(dir / "f/g")), HasSubstr(dir / "f/g"));
  EXPECT_FALSE(CreateDirectories("").ok());
}

TEST(ListDirectory, SortsAndReportsAMissingFolder) {
  TempDir dir;
  for (const char* name : {"b", "a", "c"}) {
    ASSERT_TRUE(WriteFileAtomically(dir / name, "").ok());
  }
  EXPECT_THAT(*ListDirectory(dir.path()), ElementsAre("a", "b", "c"));
  EXPECT_FALSE(ListDirectory(dir / "none").ok());
}

TEST(ReplaceSymlink, CreatesAndReplaces) {
  TempDir dir;
  ASSERT_TRUE(ReplaceSymlink(dir / "latest", "step-1").ok());
  ASSERT_TRUE(ReplaceSymlink(dir / "latest", "step-2").ok());
  EXPECT_EQ(std::filesystem::read_symlink(dir / "latest"), "step-2");
  EXPECT_THAT(*ListDirectory(dir.path()), ElementsAre("latest"));
  EXPECT_TRUE(FileExists(dir / "latest"));  // though its target is missing
  EXPECT_FALSE(DirectoryExists(dir / "latest"));
}

TEST(ReplaceSymlink, ErrorNamesTheLink) {
  EXPECT_THAT(Message(ReplaceSymlink("/no/such/latest", "x")),
              HasSubstr("/no/such/latest"));
}

TEST(ErrorOfKind, CarriesTheKind) {
  for (const ErrorKind kind : {ErrorKind::kConfig,
                               ErrorKind::kData,
                               ErrorKind::kPeer,
                               ErrorKind::kMismatch,
                               ErrorKind::kGuard,
                               ErrorKind::kCheckpoint,
                               ErrorKind::kInternal}) {
    EXPECT_EQ(KindOf(ErrorOfKind(kind, "x")), kind);
    EXPECT_FALSE(ErrorOfKind(kind, "x").ok());
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/core/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Program, KnowsItsPathArgumentsAndFolder) {
  const auto start = ReadProgramStart();
  ASSERT_TRUE(start.ok()) << start.status();
  EXPECT_THAT(start->program, testing::HasSubstr("core_test"));
  EXPECT_TRUE(FileExists(start->program));
  const std::vector<std::string> args = testing::internal::GetArgvs();
  // GoogleTest takes out the flags that it knows, and we do not.
  EXPECT_GE(start->arguments.size() + 1, args.size());
  char folder[4096];
  ASSERT_NE(::getcwd(folder, sizeof folder), nullptr);
  EXPECT_EQ(start->directory, folder);
}

TEST(Program, IsTheSameProgramAsItsFile) {
  const ProgramIdentity program = ReadProgramIdentity();
  EXPECT_EQ(program.build.size(), 16u);
  EXPECT_EQ(*HashOfFile(ReadProgramStart()->program), program.build);
  EXPECT_THAT(program.isa, testing::HasSubstr("built for"));
}

TEST(Program, FilesDifferByTheirHash) {
  const TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "a", "program").ok());
  ASSERT_TRUE(WriteFileAtomically(dir / "b", "progrbm").ok());
  EXPECT_NE(*HashOfFile(dir / "a"), *HashOfFile(dir / "b"));
  const auto none = HashOfFile(dir / "c", ErrorKind::kConfig);
  EXPECT_EQ(KindOf(none.status()), ErrorKind::kConfig);
  EXPECT_THAT(Message(none.status()), testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

// What `gyre new` writes, and what it refuses.

#include "apps/gyre/new/new_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Result GyreNew(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {GYRE_COMMAND, "new"});
  return RunCommand(std::move(arguments));
}

std::string TextOf(const std::string& path) {
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << Message(text.status());
  return text.ok() ? *text : "";
}

TEST(NewProject, IsTheTreesProjectUnderAnotherName) {
  TempDir dir;
  const auto name = WriteNewProject(dir / "my_project");
  ASSERT_TRUE(name.ok()) << Message(name.status());
  EXPECT_EQ(*name, "my_project");
  const auto files = ListDirectory(dir / "my_project");
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files,
              ElementsAre(".gitignore",
                          "CMakeLists.txt",
                          "README.md",
                          "loss.h",
                          "loss_test.cc",
                          "main.cc"));
  for (const std::string& file : *files) {
    const std::string source = file == ".gitignore" ? "gitignore" : file;
    EXPECT_EQ(TextOf(dir / "my_project/" + file),
              TextOf(GYRE_NEW_PROJECT "/" + source))
        << file;
  }
  EXPECT_EQ(*ListDirectory(GYRE_NEW_PROJECT), [&] {
    std::vector<std::string> names = *files;
    names.erase(names.begin());
    names.insert(names.begin() + 2, "gitignore");
    return names;
  }());
}

TEST(NewProject, TakesTheFoldersName) {
  TempDir dir;
  ASSERT_TRUE(WriteNewProject(dir / "sea-ice2/").ok());
  EXPECT_THAT(TextOf(dir / "sea-ice2/CMakeLists.txt"),
              AllOf(HasSubstr("project(sea-ice2 LANGUAGES CXX)"),
                    HasSubstr("add_executable(sea-ice2 main.cc)"),
                    HasSubstr("add_executable(sea-ice2_test loss_test.cc)"),
                    HasSubstr("find_package(gyre REQUIRED)")));
  EXPECT_THAT(TextOf(dir / "sea-ice2/loss.h"),
              HasSubstr("#ifndef SEA_ICE2_LOSS_H_\n"));
  EXPECT_THAT(TextOf(dir / "sea-ice2/main.cc"), HasSubstr("runs/sea-ice2"));
  const std::vector<std::string> files = *ListDirectory(dir / "sea-ice2");
  for (const std::string& file : files) {
    const std::string text = TextOf(dir / "sea-ice2/" + file);
    EXPECT_THAT(text, Not(HasSubstr("my_project"))) << file;
    EXPECT_THAT(text, Not(HasSubstr("MY_PROJECT"))) << file;
  }
}

TEST(NewProject, TakesAnEmptyFolderThatIsThere) {
  TempDir dir;
  ASSERT_TRUE(CreateDirectories(dir / "empty").ok());
  EXPECT_TRUE(WriteNewProject(dir / "empty").ok());
  EXPECT_TRUE(FileExists(dir / "empty/main.cc"));
}

TEST(NewProject, LeavesWhatIsThereAlone) {
  TempDir dir;
  ASSERT_TRUE(CreateDirectories(dir / "full").ok());
  ASSERT_TRUE(WriteFileAtomically(dir / "full/main.cc", "mine").ok());
  EXPECT_THAT(Message(WriteNewProject(dir / "full").status()),
              AllOf(HasSubstr("full has files in it"),
                    HasSubstr("choose another name")));
  EXPECT_EQ(TextOf(dir / "full/main.cc"), "mine");
  EXPECT_EQ(ListDirectory(dir / "full")->size(), 1u);

  ASSERT_TRUE(WriteFileAtomically(dir / "file", "mine").ok());
  EXPECT_THAT(Message(WriteNewProject(dir / "file").status()),
              HasSubstr("is a file"));
  EXPECT_EQ(TextOf(dir / "file"), "mine");
}

TEST(NewProject, MakesNoFoldersAboveItself) {
  TempDir dir;
  EXPECT_THAT(Message(WriteNewProject(dir / "none/project").status()),
              AllOf(HasSubstr("there is no folder " + (dir / "none")),
                    HasSubstr("mkdir -p")));
  EXPECT_FALSE(FileExists(dir / "none"));
}

TEST(NewProject, RefusesNamesThatAreNoTargets) {
  TempDir dir;
  for (const char* name : {"9lives", "a b", "a.b", "_a", "-a", "a+b", "sé"}) {
    const auto made = WriteNewProject(dir / name);
    EXPECT_THAT(Message(made.status()), HasSubstr("that begins with a letter"))
        << name;
    EXPECT_EQ(KindOf(made.status()), ErrorKind::kConfig);
  }
  EXPECT_THAT(Message(CheckProjectName("my loss")),
              HasSubstr("such as my_loss"));
  EXPECT_TRUE(CheckProjectName(std::string(64, 'a')).ok());
  EXPECT_THAT(Message(CheckProjectName(std::string(65, 'a'))),
              HasSubstr("at most 64"));
  EXPECT_FALSE(CheckProjectName("").ok());
  EXPECT_FALSE(WriteNewProject("").ok());
  for (const char* name : {"all", "clean", "gyre", "gyre_core", "test"}) {
    EXPECT_THAT(Message(CheckProjectName(name)),
                HasSubstr(Cat("such as my_", name)));
  }
  EXPECT_THAT(*ListDirectory(dir.path()), IsEmpty());
}

TEST(NewCommand, SaysWhatComesNext) {
  TempDir dir;
  const Result made = GyreNew({dir / "waves"});
  EXPECT_EQ(made.code, kExitDone) << made.text;
  EXPECT_THAT(made.text,
              AllOf(HasSubstr("cd " + (dir / "waves")),
                    HasSubstr("cmake -S . -B build"),
                    HasSubstr("build/waves\n")));
  EXPECT_TRUE(FileExists(dir / "waves/.gitignore"));
  const Result again = GyreNew({dir / "waves"});
  EXPECT_EQ(again.code, kExitUsage);
  EXPECT_THAT(again.text, HasSubstr("has files in it"));
}

TEST(NewCommand, HasHelpAndRefusesOtherCounts) {
  const Result help = GyreNew({"--help"});
  EXPECT_EQ(help.code, kExitDone);
  EXPECT_THAT(help.text, HasSubstr("GYRE_SOURCE_DIR"));
  EXPECT_EQ(GyreNew({}).code, kExitUsage);
  EXPECT_EQ(GyreNew({"a", "b"}).code, kExitUsage);
  EXPECT_EQ(GyreNew({"--force", "a"}).code, kExitUsage);
}

}  // namespace
}  // namespace gyre::internal::inline tests

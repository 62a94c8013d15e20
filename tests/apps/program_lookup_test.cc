#include "apps/gyre/launch/program_lookup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gyre::internal::inline tests {
namespace {

class ProgramLookupTest : public testing::Test {
 protected:
  ProgramLookupTest()
      : folder_(testing::TempDir() + Cat("lookup-", ::getpid())) {
    std::filesystem::create_directories(folder_ + "/own");
    std::filesystem::create_directories(folder_ + "/path");
  }
  ~ProgramLookupTest() override { std::filesystem::remove_all(folder_); }

  void Make(const std::string& file, bool executable = true) {
    const std::string path = folder_ + "/" + file;
    std::ofstream(path) << "#!/bin/sh\n";
    if (executable) {
      std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
  }
  StatusOr<std::string> Find(const std::string& name) {
    return FindProgram(name, folder_ + "/own", ":" + folder_ + "/path");
  }

  std::string folder_;
};

TEST_F(ProgramLookupTest, APathIsTakenAsGiven) {
  Make("own/app");
  const std::string path = folder_ + "/own/app";
  const auto found = Find(path);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, path);
  EXPECT_FALSE(Find("nowhere/app").ok());
}

TEST_F(ProgramLookupTest, BesideGyreComesBeforePath) {
  Make("path/app");
  ASSERT_TRUE(Find("app").ok());
  EXPECT_EQ(*Find("app"), folder_ + "/path/app");
  Make("own/app");
  EXPECT_EQ(*Find("app"), folder_ + "/own/app");
}

TEST_F(ProgramLookupTest, AFileThatCannotRunIsPassedOver) {
  Make("own/app", false);
  Make("path/app");
  EXPECT_EQ(*Find("app"), folder_ + "/path/app");
}

TEST_F(ProgramLookupTest, ErrorsTellNothingThereFromNotExecutable) {
  const auto missing = Find("app");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(Message(missing.status()),
            "gyre launch: no program app here, beside gyre, or in PATH");
  Make("own/app", false);
  const auto plain = Find(folder_ + "/own/app");
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(Message(plain.status()).find("not executable"), std::string::npos);
  EXPECT_FALSE(Find(folder_ + "/own").ok());  // a folder is no program
}

TEST_F(ProgramLookupTest, OwnFolderIsWhereThisTestLies) {
  EXPECT_TRUE(std::filesystem::exists(OwnFolder() + "/apps_test"))
      << OwnFolder();
}

}  // namespace
}  // namespace gyre::internal::inline tests

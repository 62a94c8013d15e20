#include "gyre/monitor/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunDirectory, CreatesTheLayout) {
  TempDir dir;
  const StatusOr<RunDirectory> run = RunDirectory::Create(dir / "runs/a");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(*ListDirectory(dir / "runs/a"),
              ElementsAre("checkpoints", "ranks"));
  EXPECT_TRUE(ListDirectory(dir / "runs/a/ranks")->empty());
  // A second rank, or a resume, finds it there.
  EXPECT_TRUE(RunDirectory::Create(dir / "runs/a", 1).ok());
}

TEST(RunDirectory, SetsAnOlderRunAside) {
  TempDir dir;
  const std::string path = dir / "run";
  EXPECT_TRUE(RunDirectory::SetAside(path).ok());  // nothing there
  for (int seed = 1; seed <= 3; ++seed) {
    ASSERT_TRUE(RunDirectory::SetAside(path).ok());
    const StatusOr<RunDirectory> run = RunDirectory::Create(path);
    ASSERT_TRUE(run.ok());
    ASSERT_TRUE(run->WriteRunJson(Json::Object({{"seed", seed}})).ok());
  }
  EXPECT_THAT(*ListDirectory(dir.path()), ElementsAre("run", "run.1", "run.2"));
  EXPECT_THAT(*ReadFile(dir / "run.1/run.json"), HasSubstr("1"));
  EXPECT_THAT(*ReadFile(dir / "run/run.json"), HasSubstr("3"));
}

TEST(RunDirectory, NamesItsFiles) {
  TempDir dir;
  const StatusOr<RunDirectory> run = RunDirectory::Create(dir.path());
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->run_json(), dir / "run.json");
  EXPECT_EQ(run->metrics(), dir / "metrics.jsonl");
  EXPECT_EQ(run->events(), dir / "events.jsonl");
  EXPECT_EQ(run->checkpoint(100), dir / "checkpoints/step-00000100");
  EXPECT_EQ(run->rank_log(3), dir / "ranks/00003.jsonl");
}

TEST(RunDirectory, WritesRecordsForPeople) {
  TempDir dir;
  const StatusOr<RunDirectory> run = RunDirectory::Create(dir.path());
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->WriteRunJson(Json::Object({{"seed", 7}})).ok());
  ASSERT_TRUE(run->WriteSummary(Json::Object({{"plans", 1}})).ok());
  EXPECT_EQ(*ReadFile(dir / "run.json"), "{\n  \"seed\": 7\n}\n");
  EXPECT_EQ(*ReadFile(dir / "summary.json"), "{\n  \"plans\": 1\n}\n");
}

TEST(RunDirectory, MembersHaveDefaultsAndAreAddedTo) {
  TempDir dir;
  StatusOr<RunDirectory> run = RunDirectory::Create(dir.path());
  ASSERT_TRUE(run.ok());
  run->RecordByDefault(Json::Object({{"program", "p"}, {"world", 2}}));
  run->AlwaysRecord(Json::Object({{"started", "now"}}));
  ASSERT_TRUE(run->WriteRunJson(Json::Object()).ok());
  EXPECT_EQ(Json::Parse(*ReadFile(dir / "run.json"))->Dump(),
            R"({"program":"p","world":2,"started":"now"})");
  ASSERT_TRUE(
      run->WriteRunJson(Json::Object({{"program", "mine"}, {"seed", 7}})).ok());
  EXPECT_EQ(Json::Parse(*ReadFile(dir / "run.json"))->Dump(),
            R"({"program":"mine","world":2,"seed":7,"started":"now"})");

  EXPECT_EQ(run->ReadSummary()->Dump(), "{}");
  ASSERT_TRUE(run->WriteSummary(Json::Object({{"plans", 1}})).ok());
  EXPECT_EQ(run->AddToSummary(Json::Object({{"best", 3}}))->Dump(),
            R"({"plans":1,"best":3})");
  EXPECT_EQ(run->ReadSummary()->Dump(), R"({"plans":1,"best":3})");
  EXPECT_TRUE(run->RemoveSummary().ok());
  EXPECT_TRUE(run->RemoveSummary().ok());  // none is there
  EXPECT_FALSE(FileExists(dir / "summary.json"));
}

TEST(RunDirectory, AnUnusablePathIsAConfigErrorThatNamesIt) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "file", "x").ok());
  for (const std::string& path : {dir / "file",
                                  dir / "file/below",
                                  std::string("/proc/gyre"),
                                  std::string("")}) {
    const Status status = RunDirectory::Create(path).status();
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig) << path;
    EXPECT_THAT(Message(status), AllOf(HasSubstr(path), HasSubstr("--out")));
  }
}

TEST(RunDirectory, OpenNeedsARun) {
  TempDir dir;
  EXPECT_THAT(Message(RunDirectory::Open(dir.path()).status()),
              HasSubstr("no run.json"));
  ASSERT_TRUE(WriteFileAtomically(dir / "run.json", "{}").ok());
  EXPECT_TRUE(RunDirectory::Open(dir.path()).ok());
}

TEST(StepName, OrdersAsTheStepsDo) {
  EXPECT_EQ(StepName(0), "step-00000000");
  EXPECT_LT(StepName(99), StepName(100));
  EXPECT_EQ(StepName(123456789012), "step-123456789012");
}

}  // namespace
}  // namespace gyre::internal::inline tests

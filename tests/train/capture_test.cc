#include "gyre/train/replay/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gyre/monitor/inspect/checkpoint_files.h"
#include "gyre/monitor/json_lines.h"
#include "tests/support/temp_dir.h"
#include "tests/train/bad_step.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// The events of a kind.
std::vector<Json> EventsOf(const std::string& run, const std::string& kind) {
  std::vector<Json> events;
  const auto lines = ReadJsonLines(run + "/events.jsonl");
  EXPECT_TRUE(lines.ok()) << lines.status();
  for (const Json& line : *lines) {
    if (*line.GetString("kind") == kind) events.push_back(line);
  }
  return events;
}

TEST(Capture, KeepsTheStateBeforeTheStepAndEveryBatch) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  const std::string folder = BadStepFolder(dir / "run");
  const auto files = ReadCheckpointFiles(folder);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->problems.empty()) << files->problems[0];
  EXPECT_EQ(files->tensors.count("params/layer0.w") +
                files->tensors.count("batch/00000/x") +
                files->tensors.count("batch/00001/y"),
            3u);
  EXPECT_EQ(files->tensors.at("batch/00001/y").data<float>()[1], -2);
  EXPECT_EQ(*files->manifest.GetInt("next_step"), kBadStep);
  EXPECT_FALSE(*files->manifest.GetBool("good"));
  EXPECT_EQ(*files->manifest.Find("counters")->GetInt("attempted"), kBadStep);
  const Json& result = *files->manifest.Find("result");
  EXPECT_TRUE(*result.GetBool("bad"));
  EXPECT_THAT(*result.Find("verdict")->GetString("text"), HasSubstr("rank 1"));
  const Json& batch = files->manifest.Find("batches")->elements()[1];
  EXPECT_EQ(batch.Find("sample_names")->elements().size(), 4u);

  const std::vector<Json> events = EventsOf(dir / "run", "capture");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(*events[0].GetString("file"), "evidence/step-00000003");
  EXPECT_THAT(*events[0].GetString("replay"), HasSubstr("--step 3"));
  EXPECT_FALSE(FileExists(dir / "run/evidence/step-00000002"));
}

TEST(Capture, OfAnAppliedStepIsTheStateBeforeIt) {
  const TempDir dir;
  LineOptions zero = LogOptions();
  zero.guard.policy = optim::Policy::kZero;
  ASSERT_TRUE(TrainWithBadStep(dir / "zero", 2, {}, zero).ok());
  ASSERT_TRUE(TrainWithBadStep(dir / "skip", 2).ok());
  const auto of_zero = ReadCheckpointFiles(BadStepFolder(dir / "zero"));
  const auto of_skip = ReadCheckpointFiles(BadStepFolder(dir / "skip"));
  ASSERT_TRUE(of_zero.ok() && of_skip.ok());
  // The steps before were the same.
  int compared = 0;
  for (const auto& [name, tensor] : of_zero->tensors) {
    const Tensor& other = of_skip->tensors.at(name);
    ASSERT_EQ(tensor.bytes(), other.bytes());
    EXPECT_EQ(std::memcmp(tensor.raw(), other.raw(), tensor.bytes()), 0)
        << name;
    ++compared;
  }
  EXPECT_GT(compared, 8);
  EXPECT_EQ(
      *of_zero->manifest.Find("result")->Find("verdict")->GetString("action"),
      "apply");
}

TEST(Capture, RespectsItsLimits) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "none", 1, {.steps = 0}).ok());
  EXPECT_FALSE(FileExists(BadStepFolder(dir / "none") + "/manifest.json"));
  ASSERT_TRUE(TrainWithBadStep(dir / "small", 1, {.bytes = 100}).ok());
  EXPECT_FALSE(FileExists(BadStepFolder(dir / "small") + "/manifest.json"));
  EXPECT_TRUE(EventsOf(dir / "small", "capture").empty());
}

TEST(Capture, ThatCannotBeWrittenIsAnEventAndTrainingGoesOn) {
  const TempDir dir;
  // A folder where rank 1's batch should be.
  ASSERT_TRUE(CreateDirectories(BadStepFolder(dir / "run") +
                                "/batch-00001.safetensors/x")
                  .ok());
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  EXPECT_FALSE(FileExists(BadStepFolder(dir / "run") + "/manifest.json"));
  const std::vector<Json> events = EventsOf(dir / "run", "capture");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(*events[0].GetString("error"), HasSubstr("batch-00001"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

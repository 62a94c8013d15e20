#include "apps/gyre/rewind/rewind_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A run of 40 steps with checkpoints before steps 10, 20 and 30, the last of
// which is bad.
class RewindPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("run.json",
          Json::Object(
              {{"world", 3},
               {"started",
                Json::Object({{"program_path", "/bin/true"},
                              {"arguments", Json::Array({"--fast"})},
                              {"directory", "/"},
                              {"environment", Json::Object({{"A", "b"}})}})}})
              .Dump());
    std::string metrics;
    for (int step = 0; step < 40; ++step) {
      metrics += Cat("{\"step\":", step, ",\"loss\":0.5}\n");
    }
    Write("metrics.jsonl", metrics);
    Write("events.jsonl", "");
    for (int step : {10, 20, 30}) Checkpoint(step, step < 30);
    options_ = {.run = run_, .before = 25};
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(CreateDirectories(run_).ok());
    ASSERT_TRUE(WriteFileAtomically(run_ + "/" + name, text).ok());
  }
  void Checkpoint(int step, bool good) {
    const std::string folder = Cat(run_, "/checkpoints/step-000000", step);
    ASSERT_TRUE(CreateDirectories(folder).ok());
    Json manifest = Json::Object({{"format", 2}, {"good", good}});
    ASSERT_TRUE(
        WriteTensors({{"a", Tensor::Zeros({2})}}, folder, manifest).ok());
    ASSERT_TRUE(
        WriteFileAtomically(folder + "/manifest.json", manifest.Dump()).ok());
  }
  std::string Error() const {
    return Message(MakeRewindPlan(options_).status());
  }

  const TempDir dir_;
  const std::string run_ = dir_ / "run";
  RewindOptions options_;
};

TEST_F(RewindPlanTest, TakesTheLastGoodCheckpointThatIsEarlyEnough) {
  for (const auto& [before, step] : {std::pair(25, 20),
                                     std::pair(20, 20),
                                     std::pair(19, 10),
                                     std::pair(40, 20)}) {
    options_.before = before;
    const auto plan = MakeRewindPlan(options_);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->request.step, step) << before;
    EXPECT_EQ(plan->request.checkpoint,
              Cat(run_, "/checkpoints/step-000000", step));
  }
}

TEST_F(RewindPlanTest, StartsTheProgramOnRecord) {
  options_.extra = {"--lr", "1"};
  const auto plan = MakeRewindPlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->world, 3);
  EXPECT_EQ(plan->program, "/bin/true");
  EXPECT_THAT(plan->arguments, ElementsAre("--fast", "--lr", "1"));
  EXPECT_EQ(plan->directory, "/");
  EXPECT_EQ(plan->environment[0].second, "b");
  EXPECT_EQ(plan->request.original, run_);
  EXPECT_EQ(plan->request.out, run_ + "-before-25");
  EXPECT_FALSE(plan->request.compare) << "other arguments, other numbers";
  EXPECT_TRUE(plan->request.strict);
  EXPECT_THAT(plan->Describe(), HasSubstr("/bin/true --fast --lr 1"));
}

TEST_F(RewindPlanTest, ADamagedCheckpointIsPassedOver) {
  const std::string path =
      run_ + "/checkpoints/step-00000020/state-00000.safetensors";
  std::string bytes = *ReadFile(path);
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
  EXPECT_EQ(MakeRewindPlan(options_)->request.step, 10);
}

TEST_F(RewindPlanTest, SaysWhatCannotBeDone) {
  options_.before = 9;
  EXPECT_THAT(Error(), HasSubstr("before steps 30 (not good), 20, 10"));
  EXPECT_THAT(Error(), HasSubstr("--from-start"));
  options_.from_start = true;
  EXPECT_EQ(MakeRewindPlan(options_)->request.checkpoint, "");
  options_.before = 41;
  EXPECT_THAT(Error(), HasSubstr("the last step of"));
  options_.before = -1;
  EXPECT_THAT(Error(), HasSubstr("needs --before-spike N"));
  options_.before = 25;
  options_.out = run_ + "/";
  EXPECT_THAT(Error(), HasSubstr("--out is the run itself"));
  options_.out = "";
  options_.program = "/no/such/program";
  EXPECT_THAT(Error(), HasSubstr("is not there any more"));
  options_.skip_samples = "3,x";
  options_.program = "";
  EXPECT_THAT(Error(), HasSubstr("expected ids of samples"));
  options_.skip_samples = "auto";
  EXPECT_THAT(Error(), HasSubstr("no record of steps 17 to 33 names a sample"));
  Write("run.json", "{\"world\": 1}");
  EXPECT_THAT(Error(), HasSubstr("too old to be rewound"));
  options_.run = dir_ / "nothing";
  EXPECT_THAT(Error(), HasSubstr("is no run directory"));
}

TEST_F(RewindPlanTest, IdsAreNumbersWithCommas) {
  EXPECT_THAT(*ParseIds("12"), ElementsAre(12));
  EXPECT_THAT(*ParseIds("12,17,-1"), ElementsAre(12, 17, -1));
  for (const char* text : {"", "12,", ",12", "1 2", "1;2"}) {
    EXPECT_FALSE(ParseIds(text).ok()) << text;
  }
}

TEST_F(RewindPlanTest, AutoTakesFirstCausesAndElseBadBatches) {
  Write("events.jsonl",
        "{\"time\":\"\",\"step\":24,\"rank\":0,\"kind\":\"skip\","
        "\"samples\":[4,5]}\n"
        "{\"time\":\"\",\"step\":26,\"rank\":0,\"kind\":\"skip\","
        "\"samples\":[5,6]}\n"
        "{\"time\":\"\",\"step\":3,\"rank\":0,\"kind\":\"skip\","
        "\"samples\":[9]}\n");
  options_.skip_samples = "auto";
  auto plan = MakeRewindPlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->request.leave_out, ElementsAre(4, 5, 6));
  EXPECT_THAT(plan->request.why, HasSubstr("no first cause names one"));
  ASSERT_TRUE(CreateDirectories(run_ + "/evidence/step-00000024").ok());
  Write("evidence/step-00000024/cause.json",
        R"({"step": 24, "ranks": [
             {"rank": 0, "received": true, "sample": 4},
             {"rank": 1, "received": false, "sample": 5}]})");
  plan = MakeRewindPlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->request.leave_out, ElementsAre(5));
  EXPECT_THAT(plan->request.why, HasSubstr("first causes"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

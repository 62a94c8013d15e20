#include "gyre/train/checkpoint/checkpoint_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <limits>
#include <thread>

#include "gyre/core/clock.h"
#include "gyre/core/io/file.h"
#include "gyre/train/checkpoint/resume.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

CheckpointSnapshot Make(std::int64_t step, float value = 1) {
  CheckpointSnapshot snapshot;
  snapshot.next_step = step;
  snapshot.manifest.Set("format", kCheckpointFormat).Set("next_step", step);
  Tensor w = Tensor::Zeros({1000});
  w.data<float>()[7] = value;
  snapshot.tensors = {{"params/b", Tensor::Zeros({3})}, {"params/w", w}};
  return snapshot;
}

std::vector<CheckpointEntry> CheckpointsInCheckpointWriter(
    const std::string& folder) {
  return *ListCheckpoints(folder);
}

// What a full disk does to writes: they fail after so many bytes of a file.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

class CheckpointWriterTest : public testing::Test {
 protected:
  const TempDir dir_;
  const RunDirectory run_ = *RunDirectory::Create(dir_ / "run");
};

TEST_F(CheckpointWriterTest, TellsOnceWhatBecameOfIt) {
  CheckpointWriter writer(run_, 0);
  EXPECT_FALSE((*writer.Finish()).has_value());
  writer.Begin(Make(3));
  CheckpointWriter::Outcome outcome = writer.Poll();
  for (const Stopwatch watch; watch.Seconds() < 20;) {
    if (!outcome.ok() || outcome->has_value()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    outcome = writer.Poll();
  }
  ASSERT_TRUE(outcome.ok() && outcome->has_value());
  EXPECT_EQ((*outcome)->step, 3);
  EXPECT_TRUE((*outcome)->good);
  EXPECT_EQ((*outcome)->bytes, 4012u);
  EXPECT_FALSE((*writer.Poll()).has_value());
  EXPECT_FALSE((*writer.Finish()).has_value());
  EXPECT_TRUE(VerifyCheckpoint((*outcome)->path).ok());
}

TEST_F(CheckpointWriterTest, WhatIsBegunIsOnTheDiskWhenTheWriterIsGone) {
  { CheckpointWriter(run_, 0).Begin(Make(4)); }
  EXPECT_EQ(*NewestGoodCheckpoint(run_.path()), run_.checkpoint(4));
}

TEST_F(CheckpointWriterTest, RotatesButKeepsLastGoodAndFirstBad) {
  CheckpointWriter writer(run_, 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int step = 1; step <= 6; ++step) {
    writer.Begin(Make(step, step < 3 ? 1 : nan));
    const auto done = writer.Finish();
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_EQ((*done)->good, step < 3);
    EXPECT_EQ((*done)->not_finite, step < 3 ? "" : "params/w");
  }
  std::vector<std::string> names;
  for (const auto& entry : CheckpointsInCheckpointWriter(run_.checkpoints())) {
    names.push_back(entry.name);
  }
  EXPECT_THAT(
      names,
      testing::ElementsAre(
          "step-00000002", "step-00000003", "step-00000005", "step-00000006"));
  EXPECT_EQ(*NewestGoodCheckpoint(run_.path()), run_.checkpoint(2));
  // Saved as it is: never repaired.
  const std::string bad = run_.checkpoints() + "/first-bad";
  const auto tensors = ReadVerified(bad, *ReadManifest(bad));
  ASSERT_TRUE(tensors.ok());
  EXPECT_NE(tensors->at("params/w").data<float>()[7],
            tensors->at("params/w").data<float>()[7]);
  EXPECT_EQ(*ReadManifest(bad)->GetString("not_finite"), "params/w");
}

TEST_F(CheckpointWriterTest, AnUnguardedRunsIsBadThoughFinite) {
  CheckpointSnapshot snapshot = Make(1);
  snapshot.unguarded = true;
  CheckpointWriter writer(run_, 1);
  writer.Begin(std::move(snapshot));
  EXPECT_FALSE((**writer.Finish()).good);
  EXPECT_TRUE(FileExists(run_.checkpoints() + "/first-bad"));
  EXPECT_FALSE(FileExists(run_.checkpoints() + "/last-good"));
}

TEST_F(CheckpointWriterTest, AFullDiskIsAnErrorAndTheOneBeforeStaysWhole) {
  CheckpointWriter writer(run_, 1);
  writer.Begin(Make(1));
  ASSERT_TRUE(writer.Finish().ok());
  CheckpointWriter::Outcome outcome = std::optional<CheckpointInfo>();
  {
    const FileSizeLimit full(2000);  // the header fits, the tensors do not
    writer.Begin(Make(2));
    outcome = writer.Finish();
  }
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(KindOf(outcome.status()), ErrorKind::kCheckpoint);
  EXPECT_THAT(Message(outcome.status()),
              HasSubstr("the checkpoint before step 2 is not written"));
  EXPECT_THAT(Message(outcome.status()), HasSubstr("File too large"));
  // Nothing is left beside it, and the links are as they were.
  EXPECT_THAT(*ListDirectory(run_.checkpoints()),
              testing::ElementsAre("last-good", "latest", "step-00000001"));
  EXPECT_EQ(*NewestGoodCheckpoint(run_.path()), run_.checkpoint(1));
  // The error was told; the next one is written.
  writer.Begin(Make(3));
  EXPECT_TRUE(writer.Finish().ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

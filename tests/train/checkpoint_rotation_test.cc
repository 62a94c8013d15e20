#include "gyre/train/checkpoint/checkpoint_rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<CheckpointEntry> CheckpointsIn(const std::string& folder) {
  return *ListCheckpoints(folder);
}

// Folders with manifests that say just enough.
class Checkpoints {
 public:
  void Write(int step, bool good) {
    const std::string name = Cat("step-0000000", step);
    const std::string partial = PartialFolder(folder(), name);
    ASSERT_TRUE(CreateDirectories(partial).ok());
    const Json manifest = Json::Object(
        {{"format", 2}, {"sequence", ++sequence_}, {"good", good}});
    ASSERT_TRUE(
        WriteFileAtomically(partial + "/manifest.json", manifest.Dump()).ok());
    const Status status = PublishCheckpoint(folder(), partial, name, good);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Rotate(std::int64_t keep) {
    const Status status = RotateCheckpoints(folder(), keep);
    EXPECT_TRUE(status.ok()) << status;
  }

  std::vector<std::int64_t> Steps() const {
    std::vector<std::int64_t> steps;
    for (const auto& entry : CheckpointsIn(folder())) {
      steps.push_back(entry.step);
    }
    return steps;
  }
  std::string Link(const std::string& name) const {
    std::error_code error;
    return std::filesystem::read_symlink(folder() + "/" + name, error).string();
  }
  const std::string& folder() const { return dir_.path(); }

 private:
  TempDir dir_;
  int sequence_ = 0;
};

TEST(CheckpointRotation, TheNewestStay) {
  Checkpoints all;
  for (int step = 1; step <= 6; ++step) all.Write(step, true);
  all.Rotate(0);
  EXPECT_THAT(all.Steps(), ElementsAre(1, 2, 3, 4, 5, 6));
  all.Rotate(2);
  EXPECT_THAT(all.Steps(), ElementsAre(5, 6));
  EXPECT_EQ(all.Link("latest"), "step-00000006");
  EXPECT_EQ(all.Link("last-good"), "step-00000006");
  EXPECT_EQ(all.Link("first-bad"), "");
  EXPECT_THAT(
      *ListDirectory(all.folder()),
      ElementsAre("last-good", "latest", "step-00000005", "step-00000006"));
}

TEST(CheckpointRotation, LastGoodAndFirstBadAreOutsideOfIt) {
  Checkpoints all;
  all.Write(1, true);
  all.Write(2, true);
  for (int step = 3; step <= 8; ++step) {
    all.Write(step, false);
    all.Rotate(2);
  }
  EXPECT_EQ(all.Link("last-good"), "step-00000002");
  EXPECT_EQ(all.Link("first-bad"), "step-00000003");
  EXPECT_EQ(all.Link("latest"), "step-00000008");
  EXPECT_THAT(all.Steps(), ElementsAre(2, 3, 7, 8));
}

TEST(CheckpointRotation, TheLastWrittenCountsNotTheLargestStep) {
  Checkpoints all;
  for (int step : {1, 2, 5, 6}) all.Write(step, true);
  // The run has gone on from step 2 once more.
  all.Write(3, true);
  all.Rotate(2);
  EXPECT_THAT(all.Steps(), ElementsAre(6, 3));
  EXPECT_EQ(all.Link("latest"), "step-00000003");
}

TEST(CheckpointRotation, OneWrittenAgainReplacesItselfAndItsLink) {
  Checkpoints all;
  all.Write(1, true);
  all.Write(2, false);
  EXPECT_EQ(all.Link("first-bad"), "step-00000002");
  all.Write(2, true);
  EXPECT_EQ(all.Link("first-bad"), "");
  EXPECT_EQ(all.Link("last-good"), "step-00000002");
  EXPECT_THAT(all.Steps(), ElementsAre(1, 2));
  EXPECT_FALSE(FileExists(PartialFolder(all.folder(), "step-00000002")));
}

TEST(CheckpointRotation, SweepsWhatAKilledRunLeftHalfWritten) {
  Checkpoints all;
  all.Write(1, true);
  const std::string partial = PartialFolder(all.folder(), "step-00000002");
  ASSERT_TRUE(CreateDirectories(partial).ok());
  ASSERT_TRUE(WriteFileAtomically(partial + "/manifest.json", "{").ok());
  EXPECT_THAT(all.Steps(), ElementsAre(1));
  all.Rotate(1);
  EXPECT_FALSE(FileExists(partial));
}

TEST(CheckpointRotation, AnEmptyFolderHasNone) {
  const TempDir dir;
  EXPECT_TRUE(RotateCheckpoints(dir.path(), 1).ok());
  EXPECT_THAT(*ListCheckpoints(dir.path()), IsEmpty());
  EXPECT_THAT(*ListCheckpoints(dir / "none"), IsEmpty());
}

}  // namespace
}  // namespace gyre::internal::inline tests

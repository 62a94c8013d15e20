#include "train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/local/local_world.h"
#include "core/io/file.h"
#include "core/io/safetensors.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre {
namespace {

using testing::HasSubstr;

Status RunSteps(TrainStep& step, LineSource& source, int count) {
  for (int i = 0; i < count; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                          source.Load(step.next_step()));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step.Run(batch));
    GYRE_RETURN_IF_ERROR(report.outcome);
  }
  return OkStatus();
}

// `body` with a step on one rank and a run directory.
void WithStep(
    const LineOptions& options,
    const std::function<Status(TrainStep&, LineSource&, const RunDirectory&)>&
        body) {
  const TempDir temp;
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(temp.path() + "/run"));
    return body(*step, source, run);
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Checkpoint, ResumesToTheSameBits) {
  WithStep({},
           [](TrainStep& step,
              LineSource& source,
              const RunDirectory& run) -> Status {
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 6));
             GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                                   SaveCheckpoint(step, run));
             EXPECT_TRUE(info.good);
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 4));
             const std::uint64_t expected = step.ParamsHash();
             GYRE_RETURN_IF_ERROR(LoadCheckpoint(run.path(), step));
             EXPECT_EQ(step.next_step(), 6);
             EXPECT_EQ(step.guard_state().applied, 6);
             EXPECT_NE(step.ParamsHash(), expected);
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 4));
             EXPECT_EQ(step.ParamsHash(), expected);
             return OkStatus();
           });
}

TEST(Checkpoint, ANonFiniteStateIsNeverGood) {
  LineOptions options;
  options.guard.policy = optim::Policy::kObserve;
  options.inject = "nan_grad@rank=0,step=2";
  WithStep(
      options,
      [](TrainStep& step,
         LineSource& source,
         const RunDirectory& run) -> Status {
        GYRE_RETURN_IF_ERROR(RunSteps(step, source, 3));
        GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                              SaveCheckpoint(step, run));
        EXPECT_FALSE(info.good);
        EXPECT_TRUE(FileExists(run.checkpoints() + "/latest/manifest.json"));
        EXPECT_FALSE(FileExists(run.checkpoints() + "/last-good"));
        return OkStatus();
      });
}

// What LoadCheckpoint says after `damage` was done to a good checkpoint.
std::string LoadError(
    const std::function<Status(const std::string& folder)>& damage) {
  std::string message;
  WithStep({},
           [&](TrainStep& step,
               LineSource& source,
               const RunDirectory& run) -> Status {
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 2));
             GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                                   SaveCheckpoint(step, run));
             GYRE_RETURN_IF_ERROR(damage(info.path));
             const std::uint64_t before = step.ParamsHash();
             const Status status = LoadCheckpoint(info.path, step);
             EXPECT_FALSE(status.ok());
             EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint)
                 << Message(status);
             EXPECT_EQ(step.ParamsHash(), before) << "half loaded";
             message = Message(status);
             return OkStatus();
           });
  return message;
}

TEST(Checkpoint, RefusesAFlippedBit) {
  const std::string error = LoadError([](const std::string& folder) -> Status {
    const std::string path = folder + "/state-00000.safetensors";
    GYRE_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
    bytes.back() ^= 1;
    return WriteFileAtomically(path, bytes);
  });
  EXPECT_THAT(error, HasSubstr("is damaged"));
}

TEST(Checkpoint, RefusesATruncatedFileAndAMissingManifest) {
  EXPECT_THAT(LoadError([](const std::string& folder) -> Status {
                const std::string path = folder + "/state-00000.safetensors";
                GYRE_ASSIGN_OR_RETURN(const std::string b, ReadFile(path));
                return WriteFileAtomically(path, b.substr(0, b.size() / 2));
              }),
              HasSubstr("state-00000.safetensors"));
  EXPECT_THAT(LoadError([](const std::string& folder) {
                return WriteFileAtomically(folder + "/manifest.json", "{");
              }),
              HasSubstr("manifest.json"));
}

TEST(Checkpoint, RefusesAnotherModel) {
  EXPECT_THAT(LoadError([](const std::string& folder) -> Status {
                const std::string path = folder + "/state-00000.safetensors";
                GYRE_ASSIGN_OR_RETURN(Safetensors file, ReadSafetensors(path));
                file.tensors.erase("params/layer0.w");
                return WriteSafetensors(path, file);
              }),
              HasSubstr("no tensor \"params/layer0.w\""));
}

TEST(Checkpoint, SaysWhatAFolderWithoutOneLacks) {
  WithStep({},
           [](TrainStep& step, LineSource&, const RunDirectory& run) -> Status {
             const Status status = LoadCheckpoint(run.path(), step);
             EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint);
             EXPECT_THAT(Message(status), HasSubstr("is no checkpoint"));
             return OkStatus();
           });
}

}  // namespace
}  // namespace gyre

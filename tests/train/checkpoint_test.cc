#include "gyre/train/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"
#include "tests/train/layouts.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
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
             const std::uint64_t expected = HashState(step.state()).common;
             GYRE_RETURN_IF_ERROR(LoadCheckpoint(run.path(), step));
             EXPECT_EQ(step.next_step(), 6);
             EXPECT_EQ(step.state().guard().applied, 6);
             EXPECT_NE(HashState(step.state()).common, expected);
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 4));
             EXPECT_EQ(HashState(step.state()).common, expected);
             return OkStatus();
           });
}

TEST(Checkpoint, TheManifestSaysWhatItBelongsTo) {
  WithStep({},
           [](TrainStep& step,
              LineSource& source,
              const RunDirectory& run) -> Status {
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 2));
             GYRE_ASSIGN_OR_RETURN(CheckpointSnapshot snapshot, Snapshot(step));
             snapshot.manifest.Set("cursor", DataCursor(source, 2));
             snapshot.carried.Set("detector", Json::Array({1, 2}));
             GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                                   WriteCheckpoint(snapshot, run));
             GYRE_ASSIGN_OR_RETURN(const Json manifest,
                                   ReadManifest(info.path));
             for (const char* key : {"optimizer",
                                     "mesh",
                                     "fingerprint",
                                     "params_hash",
                                     "counters",
                                     "versions",
                                     "written",
                                     "cursor"}) {
               EXPECT_NE(manifest.Find(key), nullptr) << key;
             }
             EXPECT_EQ(*manifest.GetInt("world"), 1);
             EXPECT_EQ(*manifest.GetInt("seed"), 4);
             EXPECT_EQ(*manifest.GetInt("micro_batches"), 1);
             EXPECT_EQ(*manifest.GetInt("sequence"), 1);
             EXPECT_TRUE(step.state().resumed().is_null());
             GYRE_RETURN_IF_ERROR(LoadCheckpoint(run.path(), step));
             EXPECT_EQ(step.state().resumed().Find("carried")->Dump(),
                       "{\"detector\":[1,2]}");
             EXPECT_EQ(step.state().resumed().Find("changed")->Dump(), "[]");
             GYRE_ASSIGN_OR_RETURN(const CheckpointInfo next,
                                   SaveCheckpoint(step, run));
             EXPECT_EQ(*ReadManifest(next.path)->GetInt("sequence"), 2);
             return OkStatus();
           });
}

TEST(Checkpoint, FewerRanksKnowTheirSamplesAgain) {
  for (std::int64_t step : {0, 5}) {
    const Json four = DataCursor(LineSource(0, 4), step);
    EXPECT_EQ(*four.GetInt("step"), step);
    EXPECT_TRUE(SameSamples(four, DataCursor(LineSource(0, 2), step)));
    EXPECT_TRUE(SameSamples(DataCursor(LineSource(0, 1), step), four));
    EXPECT_FALSE(SameSamples(four, DataCursor(LineSource(0, 4), step + 1)));
  }
  EXPECT_FALSE(SameSamples(Json(), Json()));
}

// Training goes on while a snapshot is written: it must not see that.
TEST(Checkpoint, ASnapshotIsACopy) {
  WithStep({},
           [](TrainStep& step,
              LineSource& source,
              const RunDirectory& run) -> Status {
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 2));
             const std::uint64_t then = HashState(step.state()).common;
             GYRE_ASSIGN_OR_RETURN(const CheckpointSnapshot snapshot,
                                   Snapshot(step));
             GYRE_RETURN_IF_ERROR(RunSteps(step, source, 3));
             GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                                   WriteCheckpoint(snapshot, run));
             EXPECT_NE(HashState(step.state()).common, then);
             GYRE_RETURN_IF_ERROR(LoadCheckpoint(info.path, step));
             EXPECT_EQ(HashState(step.state()).common, then);
             EXPECT_EQ(step.next_step(), 2);
             return OkStatus();
           });
}

// The same global batch on another mesh: what one wrote the other loads.
TEST(Checkpoint, LoadsIntoAnotherNumberOfRanks) {
  const TempDir temp;
  std::uint64_t written = 0;
  const auto on = [](int ranks, auto body) {
    const Status status = LocalWorld(ranks).Run([&](Communicator& comm) {
      auto step = MakeLineStep(comm);
      LineSource source(comm.rank(), comm.size());
      return step.ok() ? body(**step, source) : step.status();
    });
    EXPECT_TRUE(status.ok()) << status;
  };
  on(4, [&](TrainStep& step, LineSource& source) -> Status {
    GYRE_RETURN_IF_ERROR(RunSteps(step, source, 5));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(temp / "run"));
    GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info, SaveCheckpoint(step, run));
    EXPECT_EQ(info.path, run.checkpoint(5));
    if (step.mesh().rank() == 0) written = HashState(step.state()).common;
    return OkStatus();
  });
  on(2, [&](TrainStep& step, LineSource& source) -> Status {
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(temp / "run", step));
    EXPECT_EQ(HashState(step.state()).common, written);
    EXPECT_EQ(step.state().guard().applied, 5);
    std::string changed;
    for (const Json& c : step.state().resumed().Find("changed")->elements()) {
      changed += *c.GetString("what") + " ";
    }
    EXPECT_EQ(changed, "mesh world fingerprint ");
    GYRE_RETURN_IF_ERROR(RunSteps(step, source, 3));
    GYRE_ASSIGN_OR_RETURN(const auto desync, step.CheckRanks());
    EXPECT_FALSE(desync.has_value());
    return OkStatus();
  });
}

// Weights that are cut over ranks, states that are: on disk all is whole.
TEST(Checkpoint, PartsAreWholeOnDiskAndFitEveryMesh) {
  const TempDir temp;
  const Program cut = AllPrograms()[1];
  // 4 steps on one mesh, a checkpoint, and 3 more on another.
  const auto train = [&](const MeshShape& shape,
                         bool shards,
                         const std::string& from,
                         const std::string& to) {
    const Status status =
        LocalWorld(shape.ranks()).Run([&](Communicator& comm) -> Status {
          GYRE_ASSIGN_OR_RETURN(
              const auto step,
              MakeLayoutStep(comm, shape, cut, {.shard_states = shards}));
          if (!from.empty()) {
            GYRE_RETURN_IF_ERROR(LoadCheckpoint(temp / from, *step));
          }
          const std::int64_t until = from.empty() ? 4 : 7;
          while (step->next_step() < until) {
            GYRE_RETURN_IF_ERROR(
                step->Run(cut.load(step->mesh(), step->next_step())).status());
          }
          GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                                RunDirectory::Create(temp / to, comm.rank()));
          return SaveCheckpoint(*step, run).status();
        });
    EXPECT_TRUE(status.ok()) << status;
    const std::string latest = temp / to + "/checkpoints/latest";
    const auto tensors = ReadVerified(latest, *ReadManifest(latest));
    EXPECT_TRUE(tensors.ok()) << tensors.status();
    return tensors.value_or(TensorsByName());
  };
  train({.data = 2, .model = 2}, false, "", "first");
  const TensorsByName whole =
      train({.data = 2, .model = 2}, false, "first", "a");
  EXPECT_EQ(whole.at("params/up.w").shape(), Shape({6, 16}));
  // With shards the same numbers come out, to the bit; on another mesh the
  // sums have another order.
  const TensorsByName shards =
      train({.data = 2, .model = 2}, true, "first", "b");
  const TensorsByName back = train({.data = 2, .model = 2}, false, "b", "c");
  const TensorsByName one = train({}, false, "first", "d");
  ASSERT_EQ(whole.size(), one.size());
  for (const auto& [name, tensor] : whole) {
    const auto values = tensor.data<float>();
    ASSERT_EQ(one.at(name).shape(), tensor.shape()) << name;
    ASSERT_EQ(shards.at(name).shape(), tensor.shape()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(shards.at(name).data<float>()[i], values[i]) << name << i;
      EXPECT_EQ(back.at(name).data<float>()[i], values[i]) << name << i;
      EXPECT_NEAR(one.at(name).data<float>()[i], values[i], 1e-4) << name << i;
    }
  }
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
        EXPECT_TRUE(FileExists(run.checkpoints() + "/first-bad/manifest.json"));
        EXPECT_EQ(info.not_finite.rfind("params/", 0), 0u) << info.not_finite;
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
             const std::uint64_t before = HashState(step.state()).common;
             const Status status = LoadCheckpoint(info.path, step);
             EXPECT_FALSE(status.ok());
             EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint)
                 << Message(status);
             EXPECT_EQ(HashState(step.state()).common, before) << "half loaded";
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
              HasSubstr("no file has the tensor \"params/layer0.w\""));
  // Whole, but with other names.
  EXPECT_THAT(LoadError([](const std::string& folder) -> Status {
                GYRE_ASSIGN_OR_RETURN(Json manifest, ReadManifest(folder));
                GYRE_ASSIGN_OR_RETURN(TensorsByName tensors,
                                      ReadVerified(folder, manifest));
                auto node = tensors.extract("params/layer0.w");
                node.key() = "params/first.w";
                tensors.insert(std::move(node));
                GYRE_RETURN_IF_ERROR(WriteTensors(tensors, folder, manifest));
                return WriteFileAtomically(folder + "/manifest.json",
                                           manifest.Dump());
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
}  // namespace gyre::internal::inline tests

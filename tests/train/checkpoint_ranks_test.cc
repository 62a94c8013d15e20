// Ranks that save, load and restore end with the same state, or with the same
// error; as threads and as processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

const char* const kSomeBackends[] = {"local", "shm", "grpc", "hosts"};

// Ranks may be processes, which make no assertions.
Status Want(bool holds, const std::string& what) {
  return holds ? OkStatus() : InternalError("not so: ", what);
}

Status WantSame(const TrainStep& step, std::int64_t next_step) {
  GYRE_RETURN_IF_ERROR(
      Want(step.next_step() == next_step, Cat("at step ", step.next_step())));
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, GatherStateHash(step.state()));
  return Want(hash.equal, "equal parameters");
}

Status StepsUntil(TrainStep& step, std::int64_t until) {
  LineSource source(step.mesh().rank(), step.mesh().size());
  while (step.next_step() < until) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                          source.Load(step.next_step()));
    GYRE_RETURN_IF_ERROR(step.Run(batch).status());
  }
  return OkStatus();
}

using StepBody = std::function<Status(TrainStep&, const std::string& dir)>;

Status WithSteps(const std::string& backend, int ranks, const StepBody& body) {
  const TempDir dir;
  return RunOn(backend, ranks, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    return body(*step, dir.path());
  });
}

void OnSomeBackends(const StepBody& body) {
  for (const char* backend : kSomeBackends) {
    for (const int ranks : {1, 2, 4}) {
      const Status status = WithSteps(backend, ranks, body);
      EXPECT_TRUE(status.ok()) << backend << " " << ranks << ": " << status;
    }
  }
}

TEST(CheckpointRanks, AfterASaveAllLoadWhatWasSaved) {
  OnSomeBackends([](TrainStep& step, const std::string& dir) -> Status {
    GYRE_ASSIGN_OR_RETURN(
        const RunDirectory run,
        RunDirectory::Create(dir + "/run", step.mesh().rank()));
    for (std::int64_t s = 1; s <= 6; ++s) {
      GYRE_RETURN_IF_ERROR(StepsUntil(step, s));
      const std::uint64_t saved = HashState(step.state()).common;
      GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                            SaveCheckpoint(step, run));
      // In place, and the same said on all ranks.
      GYRE_RETURN_IF_ERROR(
          Want(FileExists(info.path + "/manifest.json"), "a manifest"));
      GYRE_RETURN_IF_ERROR(Want(info.step == s && info.good && info.bytes > 0,
                                "what was written"));
      GYRE_RETURN_IF_ERROR(LoadCheckpoint(run.path(), step));
      GYRE_RETURN_IF_ERROR(WantSame(step, s));
      GYRE_RETURN_IF_ERROR(
          Want(HashState(step.state()).common == saved, "as saved"));
      GYRE_RETURN_IF_ERROR(
          Want(step.state().resumed().GetString("from").value_or("") ==
                   run.checkpoint(s),
               "its own name, not that of a link"));
    }
    return OkStatus();
  });
}

// The error of every rank, or what is wrong with it.
Status WantRefused(const Status& got, ErrorKind kind, const std::string& text) {
  GYRE_RETURN_IF_ERROR(Want(!got.ok(), "an error: " + text));
  GYRE_RETURN_IF_ERROR(Want(KindOf(got) == kind, "kind of " + Message(got)));
  return Want(Message(got).find(text) != std::string::npos,
              Cat(Message(got), " has ", text));
}

TEST(CheckpointRanks, DifferentOnesAreRefusedAndNoneIsLoaded) {
  OnSomeBackends([](TrainStep& step, const std::string& dir) -> Status {
    const int rank = step.mesh().rank();
    const int last = step.mesh().size() - 1;
    if (last == 0) return OkStatus();
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir + "/run", rank));
    for (const std::int64_t s : {2, 4}) {
      GYRE_RETURN_IF_ERROR(StepsUntil(step, s));
      GYRE_RETURN_IF_ERROR(SaveCheckpoint(step, run).status());
    }
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 5));
    const std::uint64_t before = HashState(step.state()).common;
    const Status status =
        LoadCheckpoint(run.checkpoint(rank == last ? 2 : 4), step);
    GYRE_RETURN_IF_ERROR(
        WantRefused(status,
                    ErrorKind::kMismatch,
                    Cat("rank ", last, " read step 2, rank 0 step 4: ")));
    GYRE_RETURN_IF_ERROR(
        Want(ExitCodeOf(status) == kExitMismatch, "the exit code"));
    GYRE_RETURN_IF_ERROR(
        Want(HashState(step.state()).common == before, "as it was"));
    return WantSame(step, 5);
  });
}

// The same step of two runs.
TEST(CheckpointRanks, OtherContentsOfOneStepAreRefused) {
  OnSomeBackends([](TrainStep& step, const std::string& dir) -> Status {
    const int rank = step.mesh().rank();
    if (step.mesh().size() == 1) return OkStatus();
    GYRE_ASSIGN_OR_RETURN(const RunDirectory a,
                          RunDirectory::Create(dir + "/a", rank));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory b,
                          RunDirectory::Create(dir + "/b", rank));
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 2));
    GYRE_RETURN_IF_ERROR(SaveCheckpoint(step, a).status());
    std::vector<float> all(step.state().front().all().begin(),
                           step.state().front().all().end());
    all[0] += 1;
    step.state().Restore(all, step.state().guard(), 2);
    GYRE_RETURN_IF_ERROR(SaveCheckpoint(step, b).status());
    return WantRefused(
        LoadCheckpoint(rank == 1 ? a.path() : b.path(), step),
        ErrorKind::kMismatch,
        "rank 1 read step 2, rank 0 step 2, with other contents");
  });
}

TEST(CheckpointRanks, WhatOneRankCannotReadNoneLoads) {
  OnSomeBackends([](TrainStep& step, const std::string& dir) -> Status {
    const int rank = step.mesh().rank();
    const int last = step.mesh().size() - 1;
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir + "/run", rank));
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 2));
    GYRE_RETURN_IF_ERROR(SaveCheckpoint(step, run).status());
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 3));
    const std::uint64_t before = HashState(step.state()).common;
    // As on a host that has another copy.
    std::string mine = run.checkpoint(2);
    if (rank == last) {
      mine = dir + "/copy";
      std::filesystem::copy(run.checkpoint(2), mine);
      const std::string file = mine + "/state-00000.safetensors";
      GYRE_ASSIGN_OR_RETURN(std::string bytes, ReadFile(file));
      bytes.back() ^= 1;
      GYRE_RETURN_IF_ERROR(WriteFileAtomically(file, bytes));
    }
    const std::string who = last == 0 ? "" : Cat("on rank ", last, ": ");
    GYRE_RETURN_IF_ERROR(
        WantRefused(LoadCheckpoint(mine, step),
                    ErrorKind::kCheckpoint,
                    who + dir + "/copy/state-00000.safetensors"));
    GYRE_RETURN_IF_ERROR(
        Want(HashState(step.state()).common == before, "as it was"));
    return WantSame(step, 3);
  });
}

TEST(CheckpointRanks, WhatRankZeroCannotWriteIsTheErrorOfAll) {
  OnSomeBackends([](TrainStep& step, const std::string& dir) -> Status {
    const int rank = step.mesh().rank();
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir + "/run", rank));
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 2));
    if (rank == 0) {
      std::filesystem::remove(run.checkpoints());
      GYRE_RETURN_IF_ERROR(WriteFileAtomically(run.checkpoints(), "a file"));
    }
    GYRE_RETURN_IF_ERROR(
        WantRefused(SaveCheckpoint(step, run).status(),
                    ErrorKind::kCheckpoint,
                    "the checkpoint before step 2 is not written"));
    // Nobody waits for anybody: the run may go on.
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 4));
    return WantSame(step, 4);
  });
}

// How many collectives a prediction takes.
StatusOr<std::uint64_t> CollectivesOfPredict(TrainStep& step) {
  Communicator& world = step.mesh().world();
  LineSource source(world.rank(), world.size());
  GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
  GYRE_RETURN_IF_ERROR(world.Barrier({.label = "before"}));
  const std::uint64_t before = world.records()[0].sequence;
  GYRE_RETURN_IF_ERROR(step.Predict(batch).status());
  GYRE_RETURN_IF_ERROR(world.Barrier({.label = "after"}));
  return world.records()[0].sequence - before;
}

TEST(CheckpointRanks, PredictComparesTheRanksOnceAfterARestore) {
  OnSomeBackends([](TrainStep& step, const std::string&) -> Status {
    const int rank = step.mesh().rank();
    const int last = step.mesh().size() - 1;
    GYRE_RETURN_IF_ERROR(StepsUntil(step, 2));
    GYRE_ASSIGN_OR_RETURN(const auto usual, CollectivesOfPredict(step));
    std::vector<float> all(step.state().front().all().begin(),
                           step.state().front().all().end());
    all[0] += 1;
    step.state().Restore(all, step.state().guard(), 2);
    GYRE_ASSIGN_OR_RETURN(const auto first, CollectivesOfPredict(step));
    GYRE_ASSIGN_OR_RETURN(const auto second, CollectivesOfPredict(step));
    GYRE_RETURN_IF_ERROR(
        Want(first == usual + (last > 0 ? 1 : 0), "one more, the first time"));
    GYRE_RETURN_IF_ERROR(Want(second == usual, "no more, from then on"));
    if (last == 0) return OkStatus();
    if (rank == last) all[0] += 1;
    step.state().Restore(all, step.state().guard(), 2);
    return WantRefused(CollectivesOfPredict(step).status(),
                       ErrorKind::kMismatch,
                       "after a restore the ranks hold different states: "
                       "params/layer0.");
  });
}

TEST(CheckpointRanks, ALinkIsFollowedOnceAndByOneRank) {
  const TempDir dir;
  const std::string checkpoints = dir / "run/checkpoints";
  std::filesystem::create_directories(checkpoints + "/step-00000003");
  ASSERT_TRUE(
      WriteFileAtomically(checkpoints + "/step-00000003/manifest.json", "{}")
          .ok());
  ASSERT_TRUE(ReplaceSymlink(checkpoints + "/latest", "step-00000003").ok());
  for (const auto& [path, place] :
       {std::pair(dir / "run", "checkpoints/step-00000003"),
        std::pair(checkpoints + "/latest", "step-00000003"),
        std::pair(checkpoints + "/latest/", "step-00000003"),
        std::pair(checkpoints + "/step-00000003", "")}) {
    EXPECT_EQ(*PlaceOfCheckpoint(path), place) << path;
    EXPECT_EQ(FolderAt(path, place), checkpoints + "/step-00000003") << path;
  }
  EXPECT_EQ(FolderAt("latest", "step-00000003"), "step-00000003");
  EXPECT_EQ(KindOf(PlaceOfCheckpoint(dir.path()).status()),
            ErrorKind::kCheckpoint);
}

}  // namespace
}  // namespace gyre::internal::inline tests

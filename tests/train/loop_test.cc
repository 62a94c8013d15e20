#include "gyre/train/run/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/core/stop_signals.h"
#include "gyre/monitor/event_log.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// A source in whose fourth step somebody wants the process to stop.
class SignalSource final : public BatchSource {
 public:
  SignalSource(int rank, int ranks, int signal)
      : source_(rank, ranks), rank_(rank), signal_(signal) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    if (step == 3 && rank_ == 0) ::raise(signal_);
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }

 private:
  LineSource source_;
  int rank_;
  int signal_;
};

TEST(Loop, ASignalEndsTheRunAfterACheckpointOnAllRanksAlike) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const TempDir dir;
    std::int64_t ends[2] = {-1, -2};
    LocalWorld world(2);
    const Status status = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
      GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                            RunDirectory::Create(dir / "run", comm.rank()));
      SignalSource source(comm.rank(), comm.size(), signal);
      const auto result = RunTraining(*step, source, run, {.steps = 100});
      EXPECT_EQ(StopSignalOf(result.status()), signal) << result.status();
      ends[comm.rank()] = step->next_step();
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    // The signal is seen before the next step, whose reduction spreads it.
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_GE(ends[0], 4);
    EXPECT_LE(ends[0], 6);
    const std::string checkpoint =
        Cat(dir / "run/checkpoints/", StepName(ends[0]), "/manifest.json");
    EXPECT_TRUE(FileExists(checkpoint)) << checkpoint;
  }
}

std::vector<Event> EventsIn(const std::string& path) {
  return *ReadEvents(path);
}

// Runs to `steps` on `ranks` threads; the parameters' hash. Goes on from
// `from`, if that is set.
std::uint64_t TrainLoop(const std::string& out,
                        const std::string& from,
                        int ranks,
                        const LoopOptions& options) {
  std::uint64_t hash = 0;
  const Status status =
      LocalWorld(ranks).Run([&](Communicator& comm) -> Status {
        GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
        if (!from.empty()) GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
        GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                              RunDirectory::Create(out, comm.rank()));
        LineSource source(comm.rank(), comm.size());
        GYRE_ASSIGN_OR_RETURN(const RunSummary summary,
                              RunTraining(*step, source, run, options));
        if (comm.rank() == 0) hash = summary.params_hash;
        return OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return hash;
}

TEST(Loop, CheckpointsAreWrittenAlongsideAndARunGoesOnToTheSameBits) {
  const TempDir dir;
  const std::uint64_t whole = TrainLoop(dir / "whole", "", 2, {.steps = 40});
  TrainLoop(dir / "part",
            "",
            2,
            {.steps = 23, .checkpoint_every = 5, .keep_checkpoints = 2});
  const std::string folder = dir / "part/checkpoints/";
  EXPECT_FALSE(FileExists(folder + "step-00000015"));
  EXPECT_TRUE(FileExists(folder + "step-00000020"));
  // In mid-epoch, from the end and from before it, and the second time.
  for (const char* step : {"step-00000023", "step-00000020"}) {
    const std::uint64_t hash =
        TrainLoop(dir / "on", folder + step, 2, {.steps = 40});
    EXPECT_EQ(hash, whole) << step;
  }
  TrainLoop(dir / "on", folder + "latest", 2, {.steps = 31});
  EXPECT_EQ(TrainLoop(dir / "on", dir / "on", 2, {.steps = 40}), whole);
  int written = 0, resumed = 0;
  for (const Event& event : EventsIn(dir / "part/events.jsonl")) {
    if (event.kind == event_kind::kCheckpoint) ++written;
  }
  for (const Event& event : EventsIn(dir / "on/events.jsonl")) {
    if (event.kind != event_kind::kResume) continue;
    ++resumed;
    EXPECT_TRUE(*event.fields.GetBool("same_samples"));
    EXPECT_EQ(event.fields.Find("changed")->Dump(), "[]");
  }
  EXPECT_EQ(written, 5);  // 5, 10, 15, 20, 23
  EXPECT_EQ(resumed, 4);
}

TEST(Loop, WhatOthersCarryComesBack) {
  const TempDir dir;
  int value = 17;
  LoopOptions options{.steps = 3};
  options.carried.push_back({"mine", [&] { return Json(value); }, nullptr});
  TrainLoop(dir / "run", "", 1, options);
  options.steps = 5;
  options.carried[0].load = [&](const Json& json) -> Status {
    GYRE_ASSIGN_OR_RETURN(value, json.AsInt());
    return OkStatus();
  };
  value = 0;
  TrainLoop(dir / "run", dir / "run", 1, options);
  EXPECT_EQ(value, 17);
}

// The state before a bad step is good, and what the ranks do not agree on is
// never written.
TEST(Loop, RanksThatDifferEndTheRunBeforeACheckpointIsTaken) {
  const TempDir dir;
  LocalWorld world(3);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.inject = "flip_param@rank=2,step=7,tensor=layer0.b";
    options.checks = {.every = 0, .states_every = 0};
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir / "run", comm.rank()));
    LineSource source(comm.rank(), comm.size());
    const auto result =
        RunTraining(*step, source, run, {.steps = 40, .checkpoint_every = 5});
    EXPECT_EQ(KindOf(result.status()), ErrorKind::kMismatch);
    EXPECT_THAT(Message(result.status()),
                HasSubstr("the ranks differ before step 10: params/layer0.b "
                          "differs: rank 2 stands"));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(FileExists(dir / "run/checkpoints/step-00000005"));
  EXPECT_FALSE(FileExists(dir / "run/checkpoints/step-00000010"));
  bool told = false;
  for (const Event& event : EventsIn(dir / "run/events.jsonl")) {
    if (event.kind != event_kind::kDesync) continue;
    told = true;
    EXPECT_EQ(event.step, 10);
    EXPECT_EQ(event.fields.Find("tensors")->elements()[0],
              Json("params/layer0.b"));
    EXPECT_EQ(event.fields.Find("ranks")->Dump(), "[2]");
  }
  EXPECT_TRUE(told);
}

Json SummaryIn(const std::string& run) {
  const auto text = ReadFile(run + "/summary.json");
  return text.ok() ? Json::Parse(*text).value_or(Json()) : Json();
}

// During whose step 9 the process is asked to stop.
class StoppedSource final : public BatchSource {
 public:
  explicit StoppedSource(const Mesh& mesh)
      : rank_(mesh.rank()), source_(mesh) {}
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    if (step == 9 && rank_ == 0) ::raise(SIGTERM);
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }

 private:
  const int rank_;
  LineSource source_;
};

TEST(Loop, ARunThatEndsWellHasASummaryAndNoOtherHas) {
  const TempDir dir;
  for (const int ranks : {1, 2, 4}) {
    const std::string out = Cat(dir.path(), "/", ranks);
    const std::uint64_t hash = TrainLoop(out, "", ranks, {.steps = 7});
    const Json summary = SummaryIn(out);
    EXPECT_EQ(*summary.GetHash("param_hash"), hash);
    EXPECT_EQ(*summary.GetInt("applied"), 7);
    EXPECT_EQ(*summary.GetInt("world"), ranks);
    // One of a run that went on from there, and was asked to stop.
    const Status status =
        LocalWorld(ranks).Run([&](Communicator& comm) -> Status {
          GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
          GYRE_RETURN_IF_ERROR(LoadCheckpoint(out, *step));
          GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                                RunDirectory::Create(out, comm.rank()));
          StoppedSource source(step->mesh());
          const auto stopped = RunTraining(*step, source, run, {.steps = 20});
          EXPECT_EQ(StopSignalOf(stopped.status()), SIGTERM);
          return OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(SummaryIn(out).is_null());
  }
}

// At whose fourth step the folder of the checkpoints becomes a file.
class NoRoomSource final : public BatchSource {
 public:
  NoRoomSource(const RunDirectory& run, int rank, int ranks)
      : run_(run), source_(rank, ranks), rank_(rank) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    if (step == 3 && rank_ == 0) {
      std::filesystem::remove_all(run_.checkpoints());
      GYRE_RETURN_IF_ERROR(WriteFileAtomically(run_.checkpoints(), "a file"));
    }
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }

 private:
  const RunDirectory& run_;
  LineSource source_;
  int rank_;
};

// Rank 0 alone writes; the others hear of it while the run goes on, and at its
// end.
TEST(Loop, ACheckpointThatCannotBeWrittenIsTheErrorOfAllRanks) {
  for (const LoopOptions& options :
       {LoopOptions{.steps = 2000, .checkpoint_every = 4},
        LoopOptions{.steps = 5}}) {
    for (const char* backend : {"local", "shm", "grpc", "hosts"}) {
      const TempDir dir;
      const Status status =
          RunOn(backend, 2, [&](Communicator& comm) -> Status {
            GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
            GYRE_ASSIGN_OR_RETURN(
                const RunDirectory run,
                RunDirectory::Create(dir / "run", comm.rank()));
            NoRoomSource source(run, comm.rank(), comm.size());
            const Status ended =
                RunTraining(*step, source, run, options).status();
            const std::string text = "on rank 0: the checkpoint before step ";
            if (KindOf(ended) != ErrorKind::kCheckpoint ||
                Message(ended).rfind(text, 0) != 0) {
              return InternalError("rank ", comm.rank(), " got ", ended);
            }
            if (step->next_step() >= 2000) return InternalError("too late");
            return comm.Barrier({.label = "all have heard"});
          });
      EXPECT_TRUE(status.ok()) << backend << ": " << status;
      EXPECT_FALSE(FileExists(dir / "run/summary.json"));
    }
  }
}

// A learning rate that is far too high is said within the first steps.
TEST(Loop, ARunThatDivergesSaysSoOnce) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const Status status =
        LocalWorld(ranks).Run([&](Communicator& comm) -> Status {
          LineOptions options;
          // The first steps are the measure, so that they must be sound.
          options.learning_rate = [](std::int64_t applied) {
            return applied < 6 ? 1e-2 : 1e3;
          };
          GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
          GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                                RunDirectory::Create(dir / "run", comm.rank()));
          LineSource source(step->mesh());
          return RunTraining(*step, source, run, {.steps = 60}).status();
        });
    EXPECT_TRUE(status.ok()) << status;
    std::vector<std::string> told;
    for (const Event& event : EventsIn(dir / "run/events.jsonl")) {
      if (event.kind != event_kind::kDivergence) continue;
      told.push_back(*event.fields.GetString("text"));
    }
    EXPECT_LE(told.size(), 2u);
    ASSERT_GE(told.size(), 1u);
    EXPECT_THAT(told[0], HasSubstr("the run diverges"));
  }
}

TEST(Loop, OneRankThatIsAskedTellsAllInTheSameStep) {
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 4; ++i) {
      StepSignals signals;
      if (i == 2 && comm.rank() == 1) signals.stop = SIGUSR1;
      if (i == 3 && comm.rank() == 2) signals.stop = SIGTERM;
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch, signals));
      EXPECT_TRUE(report.verdict.clean());
      EXPECT_EQ(report.stop_signal, i < 2 ? 0 : i == 2 ? SIGUSR1 : SIGTERM);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

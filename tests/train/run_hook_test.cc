#include "gyre/train/run/run_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/run/callback.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// What a rank's program gives as hooks; the run's outcome by rank.
using MakeHooks = std::function<std::vector<Hook>(int rank)>;

struct Hooked {
  std::int64_t steps = 12;
  std::int64_t checkpoint_every = 5;
  std::string resume = "";
  // The next step of every rank, for ranks that are processes of their own.
  std::optional<std::int64_t> ends_before = {};
  std::vector<Status> ends = {};  // by rank
  std::vector<std::int64_t> next = {};
};

void RunHooked(const std::string& backend,
               int ranks,
               const std::string& out,
               const MakeHooks& hooks,
               Hooked& run) {
  run.ends.assign(ranks, OkStatus());
  run.next.assign(ranks, -1);
  const Status status =
      RunOn(backend, ranks, [&](Communicator& comm) -> Status {
        const auto body = [&]() -> Status {
          GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
          if (!run.resume.empty()) {
            GYRE_RETURN_IF_ERROR(LoadCheckpoint(run.resume, *step));
          }
          GYRE_ASSIGN_OR_RETURN(const RunDirectory directory,
                                StartRun(step->mesh(), out, run.resume));
          LineSource source(step->mesh());
          const auto ended =
              RunTraining(*step,
                          source,
                          directory,
                          {.steps = run.steps,
                           .checkpoint_every = run.checkpoint_every,
                           .hooks = hooks(comm.rank())});
          run.next[comm.rank()] = step->next_step();
          return ended.status();
        };
        run.ends[comm.rank()] = body();
        if (!run.ends_before || run.next[comm.rank()] == *run.ends_before) {
          return OkStatus();
        }
        return InternalError("rank ", comm.rank(), ": ", run.next[comm.rank()]);
      });
  ASSERT_TRUE(status.ok()) << status;
}

std::vector<Json> LinesOf(const std::string& path) {
  return ReadJsonLines(path).value_or(std::vector<Json>());
}

TEST(RunHook, ItsNumbersStandInTheLineOfTheStep) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    Hooked run;
    RunHooked(
        "local",
        ranks,
        dir / "run",
        [](int rank) -> std::vector<Hook> {
          return {Callback([rank](HookContext& run, const StepRecord& record) {
                    run.metrics().Set("skill", 1 - record.report.loss);
                    run.metrics().SetLocal("mine", rank);
                    if (record.step == 3) {
                      run.metrics().Set("gap", std::nan("1"));
                    }
                  }),
                  Callback([](HookContext& run, const StepRecord& record) {
                    // What one sets, those behind it read.
                    const auto skill = run.metrics().Find("skill");
                    EXPECT_EQ(skill, 1 - record.report.loss);
                    EXPECT_EQ(run.metrics().Find("loss"), record.report.loss);
                  })};
        },
        run);
    for (const Status& end : run.ends) EXPECT_TRUE(end.ok()) << end;
    const auto lines = LinesOf(dir / "run/metrics.jsonl");
    ASSERT_EQ(lines.size(), 12u);
    for (const Json& line : lines) {
      EXPECT_EQ(*line.GetDouble("skill"), 1 - *line.GetDouble("loss"));
    }
    EXPECT_EQ(lines[2].Find("gap"), nullptr);
    EXPECT_EQ(lines[3].Find("gap")->Dump(), "\"NaN\"");
    for (int r = 0; r < ranks; ++r) {
      const auto own = LinesOf(Cat(dir / "run/ranks/0000", r, ".jsonl"));
      ASSERT_EQ(own.size(), 12u);
      EXPECT_EQ(*own[7].GetInt("mine"), r);
    }
  }
}

TEST(RunHook, NumbersThatDifferEndTheRunOnAllRanks) {
  const TempDir dir;
  Hooked run;
  RunHooked(
      "local",
      2,
      dir / "run",
      [](int rank) -> std::vector<Hook> {
        return {Callback([rank](HookContext& run, const StepRecord& record) {
          run.metrics().Set("skill", record.step == 4 ? rank : 0);
        })};
      },
      run);
  for (const Status& end : run.ends) {
    EXPECT_EQ(KindOf(end), ErrorKind::kMismatch) << end;
    EXPECT_THAT(Message(end), HasSubstr("skill"));
  }
  EXPECT_EQ(run.next, std::vector<std::int64_t>({5, 5}));
  EXPECT_EQ(LinesOf(dir / "run/metrics.jsonl").size(), 5u);
}

TEST(RunHook, ANameOfTheRecordItselfIsRefused) {
  const TempDir dir;
  Hooked run;
  RunHooked(
      "local",
      1,
      dir / "run",
      [](int) -> std::vector<Hook> {
        return {Callback([](HookContext& run, const StepRecord&) {
          run.metrics().Set("loss", 0);
        })};
      },
      run);
  EXPECT_EQ(KindOf(run.ends[0]), ErrorKind::kConfig);
  EXPECT_THAT(Message(run.ends[0]), HasSubstr("cannot be called \"loss\""));
}

TEST(RunHook, AStopOfOneRankIsThatOfAllAfterTheSameStep) {
  for (const char* backend : {"local", "shm", "grpc", "hosts"}) {
    for (const int ranks : {1, 2, 4}) {
      const TempDir dir;
      Hooked run{.ends_before = 7};
      RunHooked(
          backend,
          ranks,
          dir / "run",
          [ranks](int rank) -> std::vector<Hook> {
            return {Callback([=](HookContext& run, const StepRecord& record) {
              if (rank == ranks - 1 && record.step == 6) {
                run.RequestStop("enough is known");
              }
            })};
          },
          run);
      for (const Status& end : run.ends) EXPECT_TRUE(end.ok()) << end;
      EXPECT_TRUE(FileExists(dir / "run/checkpoints/step-00000007"));
      const auto summary = Json::Parse(*ReadFile(dir / "run/summary.json"));
      EXPECT_EQ(*summary->GetString("stopped"), "enough is known");
      int told = 0;
      const auto events = ReadEvents(dir / "run/events.jsonl");
      for (const Event& event : *events) {
        if (event.kind != event_kind::kStop) continue;
        ++told;
        EXPECT_EQ(event.step, 6);
        EXPECT_EQ(*event.fields.GetString("text"), "enough is known");
      }
      EXPECT_EQ(told, 1);
    }
  }
}

TEST(RunHook, ACheckpointThatOneRankAsksForIsTakenAndItsLinkKept) {
  const TempDir dir;
  Hooked run{.steps = 40, .checkpoint_every = 2};
  RunHooked(
      "local",
      2,
      dir / "run",
      [](int rank) -> std::vector<Hook> {
        return {Callback([rank](HookContext& run, const StepRecord& record) {
          if (rank == 1 && record.step == 6) run.RequestCheckpoint("fine");
        })};
      },
      run);
  EXPECT_TRUE(run.ends[0].ok()) << run.ends[0];
  const std::string folder = dir / "run/checkpoints/";
  EXPECT_EQ(std::filesystem::read_symlink(folder + "fine"), "step-00000007");
  EXPECT_TRUE(FileExists(folder + "step-00000007/manifest.json"));
  EXPECT_FALSE(FileExists(folder + "step-00000008"));  // rotated away
}

enum class Way { kStatus, kException, kNumber };

Status Fail(Way way) {
  switch (way) {
    case Way::kStatus:
      return DataError("no score for March");
    case Way::kException:
      throw std::runtime_error("no score for March");
    case Way::kNumber:
      throw 7;
  }
  return OkStatus();
}

// In one of its calls, on rank 1 of two and the only one of one.
class FailingHook final : public RunHook {
 public:
  FailingHook(bool here, Way way, std::string in)
      : here_(here), way_(way), in_(std::move(in)) {}
  std::string name() const override { return "scores"; }
  Status OnStart(HookContext&) override { return At("OnStart", 0); }
  Status BeforeStep(HookContext& run, const SampleBatch&) override {
    return At("BeforeStep", run.step().next_step() - 7);
  }
  Status AfterStep(HookContext&, const StepRecord& record) override {
    return At("AfterStep", record.step - 7);
  }
  Status OnCheckpoint(HookContext& run) override {
    return At("OnCheckpoint", run.step().next_step() - 10);
  }
  Json Save() const override {
    if (here_ && in_ == "Save") throw std::runtime_error("cannot save");
    return Json(1);
  }

 private:
  Status At(const char* call, std::int64_t steps_since) const {
    if (!here_ || in_ != call || steps_since != 0) return OkStatus();
    return Fail(way_);
  }

  bool here_;
  Way way_;
  std::string in_;
};

TEST(RunHook, AFailureOfOneRankEndsAllWithItsWordsAndLosesNothing) {
  for (const char* in :
       {"OnStart", "BeforeStep", "AfterStep", "OnCheckpoint"}) {
    for (const Way way : {Way::kStatus, Way::kException, Way::kNumber}) {
      for (const int ranks : {1, 2, 4}) {
        SCOPED_TRACE(Cat(in, " ", static_cast<int>(way), " ", ranks));
        const TempDir dir;
        Hooked run;
        RunHooked(
            "local",
            ranks,
            dir / "run",
            [&](int rank) -> std::vector<Hook> {
              return {FailingHook(rank == ranks - 1, way, in)};
            },
            run);
        for (const Status& end : run.ends) {
          EXPECT_EQ(
              KindOf(end),
              way == Way::kStatus ? ErrorKind::kData : ErrorKind::kConfig);
          EXPECT_THAT(Message(end), HasSubstr(Cat("rank ", ranks - 1, ", ")));
          EXPECT_THAT(Message(end), HasSubstr(Cat("hook scores, ", in)));
          EXPECT_THAT(Message(end),
                      HasSubstr(way == Way::kNumber ? "no std::exception"
                                                    : "no score for March"));
        }
        EXPECT_THAT(run.next, testing::Each(run.next[0]));
        if (std::string(in) != "OnStart") {
          EXPECT_TRUE(
              FileExists(dir / "run/checkpoints/step-00000005/manifest.json"));
        }
        EXPECT_FALSE(FileExists(dir / "run/summary.json"));
        bool told = false;
        const auto events = ReadEvents(dir / "run/events.jsonl");
        for (const Event& event : *events) {
          told = told || event.kind == event_kind::kError;
        }
        EXPECT_TRUE(told);
      }
    }
  }
}

TEST(RunHook, AStateThatCannotBeSavedEndsTheRun) {
  const TempDir dir;
  Hooked run;
  RunHooked(
      "local",
      2,
      dir / "run",
      [](int rank) -> std::vector<Hook> {
        return {FailingHook(rank == 1, Way::kStatus, "Save")};
      },
      run);
  for (const Status& end : run.ends) {
    EXPECT_THAT(Message(end), HasSubstr("cannot save"));
  }
}

// Counts its steps, over resumes, too.
class CountingHook final : public RunHook {
 public:
  std::string name() const override { return "count"; }
  Status AfterStep(HookContext& run, const StepRecord&) override {
    run.metrics().Set("count", ++steps_);
    return OkStatus();
  }
  Json Save() const override { return Json(steps_); }
  Status Load(const Json& saved) override {
    GYRE_ASSIGN_OR_RETURN(steps_, saved.AsInt());
    return OkStatus();
  }

 private:
  std::int64_t steps_ = 0;
};

TEST(RunHook, ItsStateGoesOnOverAResume) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const auto hooks = [](int) -> std::vector<Hook> {
      return {CountingHook()};
    };
    Hooked run;
    RunHooked("local", ranks, dir / "run", hooks, run);
    run.resume = dir / "run/checkpoints/step-00000005";
    run.steps = 20;
    RunHooked("local", ranks, dir / "run", hooks, run);
    for (const Status& end : run.ends) EXPECT_TRUE(end.ok()) << end;
    EXPECT_EQ(*LinesOf(dir / "run/metrics.jsonl").back().GetInt("count"), 20);
  }
}

// Nothing of a run changes because somebody looks at it.
TEST(RunHook, TheNumbersOfTheRunStayWhatTheyWere) {
  const TempDir dir;
  const auto none = [](int) { return std::vector<Hook>(); };
  const auto some = [](int) -> std::vector<Hook> { return {CountingHook()}; };
  Hooked run;
  RunHooked("local", 2, dir / "none", none, run);
  RunHooked("local", 2, dir / "some", some, run);
  const auto a = Json::Parse(*ReadFile(dir / "none/summary.json"));
  const auto b = Json::Parse(*ReadFile(dir / "some/summary.json"));
  EXPECT_EQ(*a->GetHash("param_hash"), *b->GetHash("param_hash"));
}

// A source that cannot give its fourth batch.
class ThrowingSource final : public BatchSource {
 public:
  explicit ThrowingSource(const Mesh& mesh) : source_(mesh) {}
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    if (step == 3) throw std::out_of_range("file of March");
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }

 private:
  LineSource source_;
};

TEST(RunHook, ALoaderThatThrowsIsAnErrorOfTheData) {
  const TempDir dir;
  const Status status = LocalWorld(1).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir / "run", 0));
    ThrowingSource source(step->mesh());
    const auto ended = RunTraining(*step, source, run, {.steps = 9}).status();
    EXPECT_EQ(KindOf(ended), ErrorKind::kData);
    EXPECT_THAT(Message(ended), HasSubstr("rank 0, batch of step 3, samples "));
    EXPECT_THAT(Message(ended), HasSubstr("file of March"));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(RunHook, ALossThatThrowsAtTheTraceIsAnError) {
  const Status status = LocalWorld(1).Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.loss = [](Var, const BatchVars&) -> Var {
      throw std::runtime_error("no weights");
    };
    const auto step = MakeLineStep(comm, options);
    EXPECT_EQ(KindOf(step.status()), ErrorKind::kConfig);
    EXPECT_THAT(Message(step.status()), HasSubstr("threw: no weights"));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

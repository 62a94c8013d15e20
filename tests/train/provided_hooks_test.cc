// Evaluate, BestCheckpoint and EarlyStopping, in runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>

#include "gyre/core/io/file.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/run/best_checkpoint.h"
#include "gyre/train/run/best_metric.h"
#include "gyre/train/run/callback.h"
#include "gyre/train/run/early_stopping.h"
#include "gyre/train/run/evaluate.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// y = 2 x0 - x1 + 1: the network fits no part of the last term.
std::map<std::string, Tensor> ShiftedLine(std::span<const std::int64_t> ids) {
  const std::int64_t n = std::ssize(ids);
  Tensor x = Tensor::Zeros({n, 2}), y = Tensor::Zeros({n, 1});
  for (std::int64_t i = 0; i < n; ++i) {
    const float a = static_cast<float>(ids[i]) / 8 - 1, b = a * a;
    x.data<float>()[2 * i] = a;
    x.data<float>()[2 * i + 1] = b;
    y.data<float>()[i] = 2 * a - b + 1;
  }
  return {{"x", x}, {"y", y}};
}

double SquaredError(const Tensor& prediction, const SampleBatch& batch) {
  const auto p = prediction.data<float>();
  const auto y = batch.tensors.at("y").data<float>();
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += (double{p[i]} - y[i]) * (double{p[i]} - y[i]);
  }
  return sum / static_cast<double>(p.size());
}

struct Provided {
  std::int64_t steps = 30;
  std::int64_t checkpoint_every = 0;
  std::string resume = "";
};

// The hooks of a run; an error where the ranks end otherwise than rank 0.
Status TrainProvided(int ranks,
                     const std::string& out,
                     const std::vector<Hook>& hooks,
                     const Provided& options = {}) {
  return RunOn("local", ranks, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    if (!options.resume.empty()) {
      GYRE_RETURN_IF_ERROR(LoadCheckpoint(options.resume, *step));
    }
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          StartRun(step->mesh(), out, options.resume));
    LineSource source(step->mesh());
    return RunTraining(*step,
                       source,
                       run,
                       {.steps = options.steps,
                        .checkpoint_every = options.checkpoint_every,
                        .keep_checkpoints = 2,
                        .hooks = hooks})
        .status();
  });
}

std::vector<Json> MetricsOf(const std::string& out) {
  return ReadJsonLines(out + "/metrics.jsonl").value_or(std::vector<Json>());
}

TEST(Evaluate, IsTheMeanOverAllSamplesEachOnceOnEveryNumberOfRanks) {
  for (const std::int64_t samples : {16, 21, 3}) {
    std::vector<double> last;
    for (const int ranks : {1, 2, 4}) {
      SCOPED_TRACE(Cat(samples, " samples, ", ranks, " ranks"));
      const TempDir dir;
      const Status status = TrainProvided(
          ranks,
          dir / "run",
          {Evaluate{
              .every = 10,
              .data = {.samples = samples, .batch = 8, .load = ShiftedLine},
              .metrics = {{"mse", SquaredError}}}},
          {.steps = 25});
      ASSERT_TRUE(status.ok()) << status;
      std::vector<std::int64_t> at;
      for (const Json& line : MetricsOf(dir / "run")) {
        if (line.Find("eval_loss") == nullptr) continue;
        at.push_back(*line.GetInt("step"));
        const double loss = *line.GetDouble("eval_loss");
        // The traced loss is a mean over samples, as the metric is.
        EXPECT_NEAR(loss, *line.GetDouble("mse"), 1e-5 * loss);
        if (at.back() == 24) last.push_back(loss);
      }
      EXPECT_THAT(at, testing::ElementsAre(9, 19, 24));
    }
    ASSERT_EQ(last.size(), 3u);
    EXPECT_NEAR(last[1], last[0], 1e-4 * last[0]);
    EXPECT_NEAR(last[2], last[0], 1e-4 * last[0]);
  }
}

TEST(Evaluate, ChangesNothingOfTheTraining) {
  const TempDir dir;
  const SampleSet set = {.samples = 21, .batch = 8, .load = ShiftedLine};
  ASSERT_TRUE(TrainProvided(2, dir / "without", {}).ok());
  ASSERT_TRUE(
      TrainProvided(2, dir / "with", {Evaluate{.every = 3, .data = set}}).ok());
  const auto a = Json::Parse(*ReadFile(dir / "without/summary.json"));
  const auto b = Json::Parse(*ReadFile(dir / "with/summary.json"));
  EXPECT_EQ(*a->GetHash("param_hash"), *b->GetHash("param_hash"));
}

TEST(Evaluate, WhatCannotBeIsSaidBeforeTheFirstStep) {
  const TempDir dir;
  const SampleSet odd = {.samples = 8, .batch = 7, .load = ShiftedLine};
  const SampleSet none = {.samples = 0, .batch = 8, .load = ShiftedLine};
  EXPECT_THAT(
      Message(TrainProvided(2, dir / "a", {Evaluate{.every = 5, .data = odd}})),
      HasSubstr("hook Evaluate, OnStart: a batch of 7"));
  EXPECT_THAT(Message(TrainProvided(
                  2, dir / "b", {Evaluate{.every = 5, .data = none}})),
              HasSubstr("data has 0 samples"));
  EXPECT_THAT(Message(TrainProvided(2, dir / "c", {Evaluate{.data = odd}})),
              HasSubstr("every is 0"));
}

TEST(Evaluate, WhatThrowsOnOneRankEndsAll) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    SampleSet set = {.samples = 16, .batch = 8, .load = ShiftedLine};
    // Sample 15 is of the last rank alone.
    set.load = [](std::span<const std::int64_t> ids) {
      for (const auto id : ids) {
        if (id == 15) throw std::runtime_error("disk full of holes");
      }
      return ShiftedLine(ids);
    };
    const Status loader =
        TrainProvided(ranks, dir / "a", {Evaluate{.every = 5, .data = set}});
    EXPECT_EQ(KindOf(loader), ErrorKind::kData) << loader;
    EXPECT_THAT(Message(loader), HasSubstr("disk full of holes"));
    set.load = ShiftedLine;
    const EvalMetric bad = [](const Tensor&, const SampleBatch& batch) {
      if (batch.sample_ids.back() == 15) throw std::runtime_error("no score");
      return 0.0;
    };
    const Status metric = TrainProvided(
        ranks,
        dir / "b",
        {Evaluate{.every = 5, .data = set, .metrics = {{"score", bad}}}});
    EXPECT_EQ(KindOf(metric), ErrorKind::kConfig) << metric;
    EXPECT_THAT(Message(metric), HasSubstr("metric score threw: no score"));
  }
}

// A metric that is best at step 11, and sets it every third step.
Hook Valley() {
  return Callback([](HookContext& run, const StepRecord& record) {
    if (record.step % 3 != 2) return;
    const double off = static_cast<double>(record.step) - 11;
    run.metrics().Set("score", off * off);
  });
}

TEST(BestCheckpoint, IsKeptAndLinked) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const Status status =
        TrainProvided(ranks,
                      dir / "run",
                      {Valley(), BestCheckpoint{.metric = "score"}},
                      {.checkpoint_every = 2});
    ASSERT_TRUE(status.ok()) << status;
    const std::string folder = dir / "run/checkpoints/";
    EXPECT_EQ(std::filesystem::read_symlink(folder + "best"), "step-00000012");
    EXPECT_TRUE(VerifyCheckpoint(folder + "step-00000012").ok());
    EXPECT_FALSE(FileExists(folder + "step-00000014"));
  }
}

TEST(BestCheckpoint, RefusesALinkOfTheRun) {
  const TempDir dir;
  for (const char* link : {"", "latest", "a/b", "step-00000003"}) {
    const Status status = TrainProvided(
        1, dir / "run", {BestCheckpoint{.metric = "loss", .link = link}});
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig) << link;
  }
}

std::int64_t StopOf(const std::string& out) {
  const auto events = ReadEvents(out + "/events.jsonl");
  std::int64_t at = -1;
  for (const Event& event : *events) {
    if (event.kind == event_kind::kStop) at = event.step;
  }
  return at;
}

TEST(EarlyStopping, EndsTheRunWhenItsPatienceDoes) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const Status status = TrainProvided(
        ranks,
        dir / "run",
        {Valley(), EarlyStopping{.metric = "score", .patience = 3}});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(StopOf(dir / "run"), 20);  // 14, 17, 20
    EXPECT_EQ(MetricsOf(dir / "run").size(), 21u);
  }
}

TEST(EarlyStopping, RemembersOverAResume) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const std::vector<Hook> hooks = {
        Valley(), EarlyStopping{.metric = "score", .patience = 3}};
    ASSERT_TRUE(TrainProvided(ranks, dir / "run", hooks, {.steps = 18}).ok());
    EXPECT_EQ(StopOf(dir / "run"), -1);
    ASSERT_TRUE(
        TrainProvided(ranks, dir / "run", hooks, {.resume = dir / "run"}).ok());
    EXPECT_EQ(StopOf(dir / "run"), 20);
  }
}

TEST(BestMetric, ANaNIsNeverBetter) {
  BestMetric best;
  EXPECT_FALSE(best.Observe(std::nan(""), 0, false));
  EXPECT_TRUE(best.Observe(3, 1, false));
  EXPECT_FALSE(best.Observe(std::nan(""), 2, false));
  EXPECT_FALSE(best.Observe(3, 3, false));
  EXPECT_FALSE(best.Observe(2.95, 4, false, 0.1));
  EXPECT_EQ(best.worse, 3);
  EXPECT_TRUE(best.Observe(2.5, 5, false, 0.1));
  EXPECT_FALSE(best.Observe(2.4, 6, true));
  BestMetric back;
  ASSERT_TRUE(back.Restore(best.ToJson()).ok());
  EXPECT_EQ(back.value, 2.5);
  EXPECT_EQ(back.step, 5);
  EXPECT_EQ(back.worse, 1);
}

}  // namespace
}  // namespace gyre::internal::inline tests

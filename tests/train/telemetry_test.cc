#include "gyre/train/records/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/train/run/loop.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// A source that names groups, and in whose 60th step all targets are wrong.
class GroupSource final : public BatchSource {
 public:
  GroupSource(int rank, int ranks, std::int64_t wrong_step = -1)
      : source_(rank, ranks), wrong_step_(wrong_step) {}
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source_.Load(step));
    if (step != wrong_step_) return batch;
    for (float& y : batch.tensors.at("y").data<float>()) y += 1000;
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }
  std::vector<GroupLoss> GroupLosses(const SampleBatch& batch,
                                     const Tensor& forecast) const override {
    EXPECT_EQ(forecast.shape(), batch.tensors.at("y").shape());
    return {{"all", 2.5, static_cast<double>(forecast.elements())}};
  }

 private:
  LineSource source_;
  std::int64_t wrong_step_;
};

void TrainTelemetry(const std::string& path,
                    const LoopOptions& options,
                    std::int64_t wrong_step = -1) {
  LineOptions options_of_step;
  options_of_step.guard.absurd.factor = 0;  // a spike shall come through
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options_of_step));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(path, comm.rank()));
    GroupSource source(comm.rank(), comm.size(), wrong_step);
    return RunTraining(*step, source, run, options).status();
  });
  EXPECT_TRUE(status.ok()) << status;
}

std::vector<Json> Lines(const std::string& path) {
  const auto lines = ReadJsonLines(path);
  EXPECT_TRUE(lines.ok()) << lines.status();
  return lines.ok() ? *lines : std::vector<Json>();
}

TEST(Telemetry, IsInTheRecordsEverySoManySteps) {
  const TempDir dir;
  TrainTelemetry(dir / "run", {.steps = 12, .telemetry_every = 5});
  for (const Json& line : Lines(dir / "run/metrics.jsonl")) {
    const bool due = *line.GetInt("step") % 5 == 0;
    ASSERT_EQ(line.Find("layers") != nullptr, due) << line.Dump();
    if (!due) continue;
    EXPECT_NE(line.Find("layers")->Find("update_ratio"), nullptr);
  }
  for (const char* rank : {"00000", "00001"}) {
    const auto lines = Lines(dir / Cat("run/ranks/", rank, ".jsonl"));
    ASSERT_EQ(lines.size(), 12u);
    for (const Json& line : lines) {
      const bool due = *line.GetInt("step") % 5 == 0;
      ASSERT_EQ(line.Find("layers") != nullptr, due) << line.Dump();
      EXPECT_EQ(line.Find("groups") != nullptr, due);
    }
    EXPECT_EQ(*lines[5].Find("groups")->Find("all")->GetDouble("sum"), 2.5);
    // Once in five seconds, so with the first alone.
    ASSERT_NE(lines[0].Find("machine"), nullptr);
    EXPECT_GT(*lines[0].Find("machine")->GetDouble("rss_mb"), 0);
  }
}

TEST(Telemetry, OffIsOff) {
  const TempDir dir;
  TrainTelemetry(dir / "run", {.steps = 3, .telemetry_every = 0});
  for (const Json& line : Lines(dir / "run/ranks/00000.jsonl")) {
    EXPECT_EQ(line.members().size(), 6u) << line.Dump();
  }
}

TEST(Telemetry, BecomesRarerWhereItCostsTooMuch) {
  LocalWorld world(1);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    LineSource source(0, 1);
    Telemetry dear(Telemetry::kAuto), cheap(Telemetry::kAuto), fixed(3);
    for (int i = 0; i < 200; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(StepReport report, step->Run(batch));
      report.seconds = 1e-3;  // of a made-up clock
      for (Telemetry* t : {&dear, &cheap, &fixed}) {
        GYRE_RETURN_IF_ERROR(t->Look(*step, report, batch, source));
      }
      dear.Spent(1e-3);  // 5% of 20 steps, 1.25% of 80
      cheap.Spent(0.3e-3);
      fixed.Spent(1);
    }
    EXPECT_EQ(dear.interval(), 80);
    EXPECT_EQ(cheap.interval(), 20);
    EXPECT_EQ(fixed.interval(), 3);
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

TEST(Loop, ASpikeIsAnEventWithItsSamples) {
  const TempDir dir;
  TrainTelemetry(dir / "run", {.steps = 80}, 60);
  const auto events = Lines(dir / "run/events.jsonl");
  int spikes = 0;
  for (const Json& event : events) {
    if (*event.GetString("kind") != "spike") continue;
    EXPECT_EQ(*event.GetInt("step"), 60);
    EXPECT_EQ(*event.GetInt("rank"), 0);
    EXPECT_GT(*event.GetDouble("loss"), 1e5);
    EXPECT_EQ(event.Find("samples")->elements().size(), 8u);  // of both ranks
    EXPECT_LT(*event.GetDouble("baseline"), 1000);
    ++spikes;
  }
  EXPECT_EQ(spikes, 2);  // loss and norm
}

}  // namespace
}  // namespace gyre::internal::inline tests

// probe() and print(): what a run sees of named values.

#include "gyre/autodiff/ops/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/layers.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/step_program.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

struct ProbeRun {
  bool named = true;
  std::int64_t every = 2;
  int micro_batches = 1;
  DType compute = DType::kF32;
};

StatusOr<std::unique_ptr<TrainStep>> MakeProbed(Communicator& comm,
                                                const ProbeRun& run) {
  LineOptions options;
  options.micro_batches = run.micro_batches;
  options.compute = run.compute;
  options.probe_every = run.every;
  options.loss = [named = run.named](Var pred, const BatchVars& b) {
    const Var error = pred - b["y"];
    if (named) probe("error", error);
    const Var squares = square(error);
    return mean(named ? print("squares", squares) : squares);
  };
  return MakeLineStep(comm, options);
}

TEST(Probe, ChangesNoBit) {
  for (const DType compute : {DType::kF32, DType::kBF16}) {
    for (const int parts : {1, 2}) {
      std::uint64_t hashes[3] = {};
      const ProbeRun runs[] = {{.named = false}, {.every = 1}, {.every = 0}};
      for (int k = 0; k < 3; ++k) {
        ProbeRun run = runs[k];
        run.micro_batches = parts;
        run.compute = compute;
        const Status status =
            LocalWorld(2).Run([&](Communicator& comm) -> Status {
              GYRE_ASSIGN_OR_RETURN(const auto step, MakeProbed(comm, run));
              LineSource source(comm.rank(), comm.size());
              for (int i = 0; i < 4; ++i) {
                GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
                GYRE_RETURN_IF_ERROR(step->Run(batch).status());
              }
              if (comm.rank() == 0) {
                hashes[k] = HashState(step->state()).common;
              }
              return OkStatus();
            });
        EXPECT_TRUE(status.ok()) << status;
      }
      EXPECT_EQ(hashes[1], hashes[0]) << Name(compute) << parts;
      EXPECT_EQ(hashes[2], hashes[0]) << Name(compute) << parts;
    }
  }
}

// The mean of the squares is the loss; over micro-batches and ranks, too.
TEST(Probe, NumbersAreOfAllRanksInTheSteps) {
  for (const int parts : {1, 2}) {
    const TempDir dir;
    const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(
          const auto step,
          MakeProbed(comm, {.every = 2, .micro_batches = parts}));
      GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                            RunDirectory::Create(dir / "run", comm.rank()));
      LineSource source(step->mesh());
      return RunTraining(*step, source, run, {.steps = 5}).status();
    });
    ASSERT_TRUE(status.ok()) << status;
    int lines = 0;
    const std::vector<Json> written = *ReadJsonLines(dir / "run/metrics.jsonl");
    for (const Json& line : written) {
      ++lines;
      const Json* const probes = line.Find("probes");
      const bool due = *line.GetInt("step") % 2 == 0;
      ASSERT_EQ(probes != nullptr, due);
      if (!due) continue;
      const Json& squares = *probes->Find("squares");
      EXPECT_NEAR(*squares.GetDouble("mean"), *line.GetDouble("loss"), 1e-6);
      EXPECT_EQ(*squares.GetInt("bad"), 0);
      EXPECT_GE(*squares.GetDouble("least"), 0);
      const Json& error = *probes->Find("error");
      const double reach = std::max(std::abs(*error.GetDouble("least")),
                                    std::abs(*error.GetDouble("largest")));
      EXPECT_NEAR(reach * reach, *squares.GetDouble("largest"), 1e-5);
    }
    EXPECT_EQ(lines, 5);
  }
}

TEST(Probe, BadNumbersAreCountedWithTheirRanks) {
  const TempDir dir;
  const Status status = LocalWorld(4).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeProbed(comm, {.every = 1}));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(dir / "run", comm.rank()));
    LineSource line(step->mesh());
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, line.Load(0));
    if (comm.rank() == 2) batch.tensors["y"].data<float>()[0] = NAN;
    GYRE_RETURN_IF_ERROR(step->Run(batch).status());
    for (const ProbeNumbers& probe : step->program().probes()) {
      EXPECT_EQ(probe.bad, comm.rank() == 2 ? 1 : 0);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

std::string CompileErrorOfProbe(const LossFunction& loss) {
  std::string text;
  const Status status = LocalWorld(1).Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.loss = loss;
    text = Message(MakeLineStep(comm, options).status());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

TEST(Probe, RefusesWhatCannotBeNamed) {
  EXPECT_THAT(CompileErrorOfProbe([](Var pred, const BatchVars& b) {
                probe("twice", pred);
                return mean(square(probe("twice", pred) - b["y"]));
              }),
              HasSubstr("\"twice\" was given before, at "));
  EXPECT_THAT(CompileErrorOfProbe([](Var pred, const BatchVars& b) {
                return mean(square(print("", pred) - b["y"]));
              }),
              HasSubstr("a name was expected"));
  EXPECT_THAT(CompileErrorOfProbe([](Var pred, const BatchVars& b) {
                probe("mask", pred > 0);
                return mean(square(pred - b["y"]));
              }),
              HasSubstr("numbers of a float type were expected"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

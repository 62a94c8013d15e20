// report(): terms of a loss by name, in the step's report, in an evaluation and
// in the records of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/report.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/train/run/evaluate.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/part_exchange.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Var TwoTerms(Var pred, const BatchVars& b) {
  const Var error = mean(square(pred - b["y"]));
  const Var size = mean(square(pred));
  report("loss/error", error);
  report("loss/size", size);
  return error + 0.25 * size;
}

TEST(ReportTerm, TermsAddUpOnAllRanksAndMicroBatches) {
  for (const int ranks : {1, 2, 4}) {
    for (const int parts : {1, 2}) {
      LocalWorld world(ranks);
      const Status status = world.Run([&](Communicator& comm) -> Status {
        LineOptions options;
        options.loss = TwoTerms;
        options.micro_batches = parts;
        GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
        LineSource source(comm.rank(), comm.size());
        GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
        GYRE_ASSIGN_OR_RETURN(const EvalReport before, step->Evaluate(batch));
        GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
        EXPECT_EQ(report.terms.size(), 2u);
        EXPECT_NEAR(
            report.terms.at("loss/error") + 0.25 * report.terms.at("loss/size"),
            report.loss,
            1e-6 * std::abs(report.loss));
        EXPECT_NEAR(before.terms.at("loss/size"),
                    report.terms.at("loss/size"),
                    1e-5 * report.terms.at("loss/size"));
        return OkStatus();
      });
      EXPECT_TRUE(status.ok()) << Message(status);
    }
  }
}

TEST(ReportTerm, ChangesNoBit) {
  std::uint64_t hashes[2] = {};
  for (const bool reports : {false, true}) {
    LocalWorld world(2);
    const Status status = world.Run([&](Communicator& comm) -> Status {
      LineOptions options;
      options.loss = [&](Var pred, const BatchVars& b) {
        const Var error = mean(square(pred - b["y"]));
        if (reports) report("error", error);
        return error;
      };
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
      LineSource source(comm.rank(), comm.size());
      for (int i = 0; i < 4; ++i) {
        GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
        GYRE_RETURN_IF_ERROR(step->Run(batch).status());
      }
      if (comm.rank() == 0) hashes[reports] = HashState(step->state()).common;
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << Message(status);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(ReportTerm, IsAColumnOfTheRunsRecords) {
  const TempDir dir;
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.loss = TwoTerms;
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          StartRun(step->mesh(), dir.path() + "/run"));
    return RunTraining(*step, source, run, {.steps = 3}).status();
  });
  ASSERT_TRUE(status.ok()) << Message(status);
  std::ifstream in(dir.path() + "/run/metrics.jsonl");
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    EXPECT_THAT(line, HasSubstr("\"loss/error\":"));
    EXPECT_THAT(line, HasSubstr("\"loss/size\":"));
  }
  EXPECT_EQ(lines, 3);
}

std::string ErrorOf(const LossFunction& loss) {
  std::string message;
  LocalWorld world(1);
  (void)world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.loss = loss;
    message = Message(MakeLineStep(comm, options).status());
    return OkStatus();
  });
  return message;
}

TEST(ReportTerm, MistakesAreSaidAtTheUsersLine) {
  const std::string field = ErrorOf([](Var pred, const BatchVars&) {
    report("field", pred);
    return mean(pred);
  });
  EXPECT_THAT(field, HasSubstr("report_term_test.cc:"));
  EXPECT_THAT(field, HasSubstr("one number was expected: finish it with mean"));
  const std::string twice = ErrorOf([](Var pred, const BatchVars&) {
    report("x", mean(pred));
    report("x", mean(pred));
    return mean(pred);
  });
  EXPECT_THAT(twice, HasSubstr("\"x\" was reported before, at "));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/train/run/learning_rate_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/json_lines.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// A loss that falls with the logarithm of the rate between 1e-4 and 1e-2, and
// grows tenfold beyond 1.
TEST(RateRange, FindsTheSlopeAndTheEnd) {
  RateRange range;
  bool ended = false;
  double rate = 1e-6;
  for (int i = 0; i < 400 && !ended; ++i, rate *= 1.05) {
    const double x = std::log10(rate);
    const double fall = std::clamp((x + 4) / 2, 0.0, 1.0);
    ended = range.Add(rate, rate > 1 ? 10.0 : 1 - 0.9 * fall);
  }
  ASSERT_TRUE(ended);
  EXPECT_GT(*range.diverged, 1);
  EXPECT_LT(*range.diverged, 2);
  EXPECT_GT(*range.Best(), 1e-4);
  EXPECT_LT(*range.Best(), 3e-2);
}

TEST(RateRange, ALossThatOnlyGrowsHasNoBestRate) {
  RateRange range;
  for (int i = 0; i < 50; ++i) range.Add(1e-3 * (i + 1), 1 + 0.01 * i);
  EXPECT_FALSE(range.Best().has_value());
}

Status RunProbe(const std::string& path,
                int ranks,
                const LearningRateProbe& probe) {
  return LocalWorld(ranks).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(path, comm.rank()));
    LineSource source(step->mesh());
    return RunTraining(*step, source, run, {.steps = 1000, .hooks = {probe}})
        .status();
  });
}

// Adam's steps are as long as the rate: beyond about 1 they leap over the
// valley of a network whose weights are of that size.
TEST(LearningRateProbe, TriesRatesAndLeavesAPlot) {
  for (const int ranks : {1, 2}) {
    const TempDir dir;
    const Status status =
        RunProbe(dir / "run", ranks, {.from = 1e-4, .to = 100, .steps = 200});
    ASSERT_TRUE(status.ok()) << status;
    const auto text = ReadFile(dir / "run/learning_rate.json");
    ASSERT_TRUE(text.ok());
    const Json found = *Json::Parse(*text);
    EXPECT_GT(*found.GetDouble("diverged"), 0.2);
    EXPECT_LT(*found.GetDouble("diverged"), 30);
    EXPECT_LT(*found.GetDouble("best"), *found.GetDouble("diverged"));
    EXPECT_LT(found.Find("points")->elements().size(), 200u);
    const auto page = ReadFile(dir / "run/learning_rate.html");
    ASSERT_TRUE(page.ok());
    EXPECT_THAT(*page, HasSubstr("loss over the learning rate"));
    // The records show the rates that were used.
    const std::vector<Json> lines = *ReadJsonLines(dir / "run/metrics.jsonl");
    EXPECT_NEAR(*lines[0].GetDouble("lr"), 1e-4, 1e-10);
    EXPECT_GT(*lines.back().GetDouble("lr"), 0.2);
  }
}

TEST(LearningRateProbe, RefusesRatesThatDoNotGrow) {
  const TempDir dir;
  const Status status = RunProbe(dir / "run", 1, {.from = 1e-2, .to = 1e-3});
  EXPECT_THAT(Message(status), HasSubstr("two growing rates"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

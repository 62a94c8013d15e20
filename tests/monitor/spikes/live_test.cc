#include "gyre/monitor/spikes/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gyre/core/rng.h"

namespace gyre::internal::inline tests {
namespace {

TraceRow Row(std::int64_t step) {
  const Rng rng({.seed = 11});
  TraceRow row;
  row.step = step;
  row.loss = 2 + 0.02 * rng.Normal(2 * step);
  row.grad_norm = std::exp(0.1 * rng.Normal(2 * step + 1));
  return row;
}

TEST(LiveSpikes, TellsOfAJumpInTheStepInWhichItIs) {
  LiveSpikes spikes;
  for (int i = 0; i < 400; ++i) {
    TraceRow row = Row(i);
    if (i == 300) *row.loss = 4;
    if (i == 350) *row.grad_norm = 40;
    const auto found = spikes.Observe(row);
    ASSERT_EQ(found.size(), i == 300 || i == 350 ? 1u : 0u) << i;
    if (found.empty()) continue;
    const LiveSpike& s = found[0];
    EXPECT_EQ(s.step, i);
    EXPECT_EQ(s.first, i);
    EXPECT_EQ(s.signal, i == 300 ? Signal::kLoss : Signal::kGradNorm);
    EXPECT_NEAR(s.baseline, i == 300 ? 2 : 1, 0.15);
    EXPECT_GT(s.z, 20);
    EXPECT_THAT(s.Describe(), testing::HasSubstr(Cat("at step ", i)));
  }
}

TEST(LiveSpikes, ASkippedOrBadStepIsNone) {
  LiveSpikes spikes;
  for (int i = 0; i < 400; ++i) {
    TraceRow row = Row(i);
    if (i == 300) row.loss = std::numeric_limits<double>::quiet_NaN();
    if (i == 350) {
      *row.loss = 9;
      row.accepted = false;
    }
    EXPECT_TRUE(spikes.Observe(row).empty()) << i;
  }
}

TEST(LiveSpikes, GoesOnWhereItWasAfterACheckpoint) {
  LiveSpikes whole, resumed;
  for (int i = 0; i < 200; ++i) {
    whole.Observe(Row(i));
    if (i == 99) {
      const auto json = Json::Parse(whole.ToJson().Dump());
      ASSERT_TRUE(json.ok()) << json.status();
      const Status restored = resumed.Restore(*json);
      ASSERT_TRUE(restored.ok()) << restored;
    }
    if (i > 99) resumed.Observe(Row(i));
  }
  EXPECT_EQ(whole.ToJson().Dump(), resumed.ToJson().Dump());
}

TEST(LiveSpikes, RefusesAStateThatIsCutOff) {
  LiveSpikes spikes;
  EXPECT_FALSE(spikes.Restore(Json::Object({{"last_step", 3}})).ok());
  EXPECT_FALSE(spikes.Restore(Json::Object()).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

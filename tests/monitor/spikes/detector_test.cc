#include "gyre/monitor/spikes/detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/monitor/spikes/trace_suite.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

// The steps at which an excursion was opened.
std::vector<int> Alarms(SpikeDetector& detector,
                        const std::vector<double>& values) {
  std::vector<int> alarms;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (detector.Observe(values[i]).starts > 0) alarms.push_back(i);
  }
  return alarms;
}

std::vector<double> Healthy(int steps,
                            NoiseKind kind = NoiseKind::kNormal,
                            std::uint64_t seed = 1,
                            double level = 2,
                            double scale = 0.02) {
  Noise noise(kind, seed);
  std::vector<double> values;
  for (int i = 0; i < steps; ++i)
    values.push_back(level + scale * noise.Next());
  return values;
}

// Public reports of detectors that one NaN made blind, or made skip for as
// long as it was in the window.
TEST(SpikeDetector, SurvivesANanInItsHistory) {
  std::vector<double> values = Healthy(600);
  values[200] = kNan;
  values[400] *= 500;
  SpikeDetector detector({});
  EXPECT_EQ(Alarms(detector, values), (std::vector<int>{200, 400}));
}

TEST(SpikeDetector, NoOutlierBecomesNormal) {
  std::vector<double> values = Healthy(1200);
  std::vector<int> spikes;
  for (int i = 200; i < 1200; i += 100) {
    values[i] *= 4;
    spikes.push_back(i);
  }
  SpikeDetector detector({});
  EXPECT_EQ(Alarms(detector, values), spikes);
}

TEST(SpikeDetector, AConstantLossMayMoveByALittle) {
  std::vector<double> values(400, 1.0);
  values[200] += 1e-7;
  values[300] = 1.5;
  SpikeDetector detector({});
  EXPECT_EQ(Alarms(detector, values), std::vector<int>{300});
}

TEST(SpikeDetector, WorksForNegativeAndNearZeroLosses) {
  for (const double level : {-1000.0, -3.0, 0.0, 1e-6}) {
    const double scale = level == 1e-6 ? 1e-8 : 0.02;
    std::vector<double> values =
        Healthy(700, NoiseKind::kNormal, 3, level, scale);
    for (int i = 500; i < 520; ++i) values[i] += 8 * scale;
    SpikeDetector detector({});
    const std::vector<int> alarms = Alarms(detector, values);
    ASSERT_EQ(alarms.size(), 1u) << level;
    EXPECT_GE(alarms[0], 500);
    EXPECT_LT(alarms[0], 520);
  }
}

TEST(SpikeDetector, AStepThatWasNotAcceptedStaysOutOfTheHistory) {
  SpikeDetector detector({});
  for (const double value : Healthy(100)) detector.Observe(value);
  const Reading reading = detector.Observe(2.0, false);
  EXPECT_EQ(reading.starts, 1);
  EXPECT_TRUE(reading.excursion);
}

TEST(SpikeDetector, TakesANewLevelAsTheLevelInTheEnd) {
  std::vector<double> values = Healthy(500);
  for (const double value : Healthy(500, NoiseKind::kNormal, 2, 3)) {
    values.push_back(value);
  }
  SpikeDetector detector({});
  int relearned = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Reading reading = detector.Observe(values[i]);
    if (reading.relearned) relearned = i;
    EXPECT_EQ(reading.starts > 0, i == 500) << i;
  }
  EXPECT_EQ(relearned, 699);
}

TEST(SpikeDetector, SeesARiseThatIsTooSlowToBeAJump) {
  std::vector<double> values = Healthy(2000);
  for (int i = 1000; i < 2000; ++i) values[i] += 0.001 * (i - 1000);
  SpikeDetector detector({});
  const std::vector<int> alarms = Alarms(detector, values);
  ASSERT_FALSE(alarms.empty());
  EXPECT_GT(alarms[0], 1000);
  EXPECT_LT(alarms[0], 1600);
}

TEST(SpikeDetector, GoesOnFromItsStateAsIfItHadNotStopped) {
  std::vector<double> values = Healthy(900, NoiseKind::kStudent3);
  for (int i = 400; i < 430; ++i) values[i] += 1;
  for (const int stop : {10, 300, 415, 600}) {
    SpikeDetector whole({});
    SpikeDetector first({});
    for (int i = 0; i < stop; ++i) {
      whole.Observe(values[i]);
      first.Observe(values[i]);
    }
    SpikeDetector second({});
    const auto text = Json::Parse(first.ToJson().Dump());
    ASSERT_TRUE(text.ok()) << text.status();
    const Status restored = second.Restore(*text);
    ASSERT_TRUE(restored.ok()) << restored;
    for (std::size_t i = stop; i < values.size(); ++i) {
      const Reading a = whole.Observe(values[i]);
      const Reading b = second.Observe(values[i]);
      ASSERT_EQ(a.z, b.z) << stop << " " << i;
      ASSERT_EQ(a.starts, b.starts) << stop << " " << i;
    }
    EXPECT_EQ(whole.ToJson().Dump(), second.ToJson().Dump());
  }
}

TEST(SpikeDetector, ABadStateIsRefusedAndChangesNothing) {
  SpikeDetector detector({});
  for (const double value : Healthy(100)) detector.Observe(value);
  const std::string before = detector.ToJson().Dump();
  EXPECT_FALSE(detector.Restore(Json::Object()).ok());
  EXPECT_EQ(detector.ToJson().Dump(), before);
}

bool LongTests() { return std::getenv("GYRE_LONG_TESTS") != nullptr; }

// The bar: one false alarm in 100,000 healthy steps, for every noise.
TEST(SpikeDetector, RaisesHardlyAFalseAlarm) {
  const int seeds = LongTests() ? 5 : 1;
  for (int kind = 0; kind < kNoiseKinds; ++kind) {
    int alarms = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Noise noise(static_cast<NoiseKind>(kind), seed);
      SpikeDetector detector({});
      for (int i = 0; i < 100'000; ++i) {
        const double trend = 2 + 3 * std::exp(-i / 2000.0);
        alarms += detector.Observe(trend + 0.05 * noise.Next()).starts > 0;
      }
    }
    std::printf("noise %d: %d false alarms in %d steps\n",
                kind,
                alarms,
                seeds * 100'000);
    EXPECT_LE(alarms, seeds) << "noise " << kind;
  }
}

// A jump of five MADs (five times 1.4826 of them is a scale of five) in noise
// of any kind, that lasts for 16 steps.
TEST(SpikeDetector, FindsJumpsThatLast) {
  const int traces = LongTests() ? 400 : 60;
  for (int kind = 0; kind < kNoiseKinds; ++kind) {
    int found = 0;
    for (int seed = 1; seed <= traces; ++seed) {
      Noise noise(static_cast<NoiseKind>(kind), seed);
      SpikeDetector detector({});
      bool seen = false;
      for (int i = 0; i < 720; ++i) {
        const double jump = i >= 700 - 16 && i < 700 ? 5 : 0;
        const Reading reading =
            detector.Observe(2 + 0.05 * (noise.Next() + jump));
        seen |= reading.starts > 0 && i >= 700 - 16;
      }
      found += seen;
    }
    std::printf("noise %d: %d of %d jumps found\n", kind, found, traces);
    const double share = static_cast<double>(found) / traces;
    // What is correlated from step to step may hide such a jump.
    const bool correlated =
        static_cast<NoiseKind>(kind) == NoiseKind::kCorrelated;
    EXPECT_GE(share, correlated ? 0.6 : 0.99) << "noise " << kind;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

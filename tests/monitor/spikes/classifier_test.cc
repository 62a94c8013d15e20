#include "gyre/monitor/spikes/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "tests/monitor/spikes/trace_suite.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

constexpr int kClasses = 5;  // the four, and healthy

// What the classifier says of a trace: the first spike that reaches the bad
// stretch, or any of a healthy one; kClasses - 1 for none.
int Verdict(const LabelledTrace& made) {
  for (const Spike& spike : ClassifyTrace(made.trace)) {
    if (!made.label.has_value() || spike.last_step >= made.at - 5) {
      return static_cast<int>(spike.spike_class);
    }
  }
  return kClasses - 1;
}

using Confusion = std::array<std::array<int, kClasses>, kClasses>;

double F1(const Confusion& counts, int c) {
  int of_label = 0;
  int of_verdict = 0;
  for (int i = 0; i < kClasses; ++i) {
    of_label += counts[c][i];
    of_verdict += counts[i][c];
  }
  return 2.0 * counts[c][c] / std::max(of_label + of_verdict, 1);
}

TEST(SpikeClassifier, SortsTheLabelledSuite) {
  const int each = std::getenv("GYRE_LONG_TESTS") != nullptr ? 40 : 8;
  Confusion counts = {};
  for (int c = 0; c < kClasses; ++c) {
    std::optional<SpikeClass> label;
    if (c < kClasses - 1) label = static_cast<SpikeClass>(c);
    for (int i = 0; i < each * kNoiseKinds; ++i) {
      const auto kind = static_cast<NoiseKind>(i % kNoiseKinds);
      ++counts[c][Verdict(MakeTrace(label, kind, 1000 * c + i + 1))];
    }
  }
  double sum = 0;
  for (int c = 0; c < kClasses; ++c) {
    const bool healthy = c == kClasses - 1;
    const std::string name(healthy ? "healthy"
                                   : NameOf(static_cast<SpikeClass>(c)));
    std::printf("%-12s F1 %.3f  said:", name.c_str(), F1(counts, c));
    for (const int n : counts[c]) std::printf(" %4d", n);
    std::printf("\n");
    sum += F1(counts, c);
  }
  std::printf("macro-F1 %.4f\n", sum / kClasses);
  EXPECT_GE(sum / kClasses, 0.95);
}

Trace Level(int steps, double level = 2) {
  Noise noise(NoiseKind::kNormal, 4);
  Trace trace;
  for (int i = 0; i < steps; ++i) {
    TraceRow row;
    row.step = i;
    row.loss = level + 0.02 * noise.Next();
    trace.rows.push_back(row);
  }
  return trace;
}

TEST(SpikeClassifier, RevisesAsTheTraceGrows) {
  Trace trace = Level(700);
  for (int i = 500; i < 700; ++i) *trace.rows[i].loss += 0.01 * (i - 499);
  for (int i = 600; i < 700; ++i) *trace.rows[i].loss = 2.5;
  for (int i = 640; i < 700; ++i) trace.rows[i].loss = 2.0;
  SpikeClassifier classifier;
  std::vector<std::string> said;
  for (const TraceRow& row : trace.rows) {
    classifier.Add(row);
    if (row.step != 580 && row.step != 699) continue;
    const std::vector<Spike> spikes = classifier.Spikes();
    ASSERT_EQ(spikes.size(), 1u) << row.step;
    said.emplace_back(NameOf(spikes[0].spike_class));
    EXPECT_EQ(spikes[0].open, row.step == 580);
  }
  EXPECT_EQ(said[0], "divergent");
  EXPECT_EQ(said[1], "transient");
}

TEST(SpikeClassifier, ANanAtTheEndIsDivergenceUnlessItWasSkipped) {
  Trace trace = Level(300);
  trace.rows.back().loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<Spike> spikes = ClassifyTrace(trace);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].spike_class, SpikeClass::kDivergent);
  trace.rows.back().accepted = false;
  spikes = ClassifyTrace(trace);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].spike_class, SpikeClass::kTransient);
  EXPECT_TRUE(spikes[0].open);
}

TEST(SpikeClassifier, GivesItsEvidenceAndNoCause) {
  Trace trace = Level(600);
  for (int i = 0; i < 600; ++i) trace.rows[i].lr = i < 398 ? 1e-3 : 1e-2;
  for (int i = 400; i < 420; ++i) *trace.rows[i].loss += 3;
  const std::vector<Spike> spikes = ClassifyTrace(trace);
  ASSERT_EQ(spikes.size(), 1u);
  const Spike& spike = spikes[0];
  EXPECT_EQ(spike.spike_class, SpikeClass::kTransient);
  EXPECT_EQ(spike.first_step, 400);
  EXPECT_EQ(spike.last_step, 419);
  EXPECT_NEAR(spike.peak, 5, 0.1);
  EXPECT_NEAR(*spike.baseline_before, 2, 0.02);
  EXPECT_NEAR(*spike.baseline_after, 2, 0.02);
  EXPECT_EQ(spike.cause, "unknown");
  const std::string text = ToJson(spike).Dump();
  EXPECT_THAT(text, HasSubstr("lr rose from 0.001 to 0.01 at step 398"));
  EXPECT_THAT(text, HasSubstr("\"class\":\"transient\""));
}

TEST(SpikeClassifier, ARestartEndsAnExcursion) {
  Trace trace = Level(400);
  for (int i = 350; i < 400; ++i) *trace.rows[i].loss += 0.05 * (i - 340);
  // The run went back to step 300, and all is well.
  for (const TraceRow& row : Level(500).rows) {
    if (row.step >= 300) trace.rows.push_back(row);
  }
  const std::vector<Spike> spikes = ClassifyTrace(trace);
  ASSERT_EQ(spikes.size(), 1u);
  EXPECT_EQ(spikes[0].spike_class, SpikeClass::kDivergent);
  EXPECT_FALSE(spikes[0].open);
  EXPECT_EQ(spikes[0].last_step, 399);
}

TEST(SpikeClassifier, NothingInNothingOut) {
  EXPECT_TRUE(ClassifyTrace({}).empty());
  EXPECT_TRUE(ClassifyTrace(Level(1)).empty());
  EXPECT_TRUE(ClassifyTrace(Level(40)).empty());
}

}  // namespace
}  // namespace gyre::internal::inline tests

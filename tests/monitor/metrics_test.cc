#include "gyre/monitor/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gyre/core/io/file.h"
#include "tests/support/special_numbers.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

StepMetrics Step(std::int64_t step, std::string verdict = "clean") {
  StepMetrics metrics;
  metrics.step = step;
  metrics.loss = 0.25 * step;
  metrics.verdict = std::move(verdict);
  return metrics;
}

TEST(StepMetrics, ComeBackFromTheirLine) {
  StepMetrics metrics = Step(7, "skip");
  metrics.loss = kNan;
  metrics.grad_norm = std::numeric_limits<double>::infinity();
  metrics.clip_scale = 0.5;
  metrics.lr = 1e-3;
  metrics.applied = false;
  metrics.skipped = 2;
  metrics.bad_count = 17;
  metrics.step_ms = 3.5;
  metrics.wait_ms = 0.5;
  metrics.more.Set("storm", 0.125);
  const Json json = ToJson(metrics);
  EXPECT_THAT(json.Dump(), testing::HasSubstr(R"("loss":"NaN")"));
  const StatusOr<StepMetrics> back = StepMetricsFromJson(json);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(std::isnan(back->loss));
  EXPECT_EQ(ToJson(*back).Dump(), json.Dump());
}

TEST(MetricsLog, BuffersCleanStepsAndWritesThemAtClose) {
  TempDir dir;
  StatusOr<MetricsLog> log = MetricsLog::Open(dir / "m");
  ASSERT_TRUE(log.ok()) << log.status();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(log->Write(Step(i)).ok());
  ASSERT_TRUE(log->Close().ok());
  const StatusOr<std::vector<StepMetrics>> steps = ReadMetrics(dir / "m");
  ASSERT_TRUE(steps.ok()) << steps.status();
  ASSERT_EQ(steps->size(), 100u);
  EXPECT_EQ((*steps)[99].step, 99);
  EXPECT_EQ((*steps)[99].loss, 24.75);
}

TEST(MetricsLog, AStepThatIsNotCleanIsWrittenAtOnce) {
  TempDir dir;
  StatusOr<MetricsLog> log = MetricsLog::Open(dir / "m");
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log->Write(Step(0)).ok());
  ASSERT_TRUE(log->Write(Step(1, "skip")).ok());
  EXPECT_EQ(ReadMetrics(dir / "m")->size(), 2u);
}

TEST(MetricsLog, ManyLinesDoNotWaitForClose) {
  TempDir dir;
  StatusOr<MetricsLog> log = MetricsLog::Open(dir / "m");
  ASSERT_TRUE(log.ok());
  StepMetrics big = Step(0);
  big.more.Set("note", std::string(70'000, 'x'));
  ASSERT_TRUE(log->Write(big).ok());
  EXPECT_EQ(ReadMetrics(dir / "m")->size(), 1u);
}

TEST(MetricsLog, TheDestructorWritesWhatIsLeft) {
  TempDir dir;
  {
    StatusOr<MetricsLog> log = MetricsLog::Open(dir / "m");
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log->Write(Step(5)).ok());
  }
  EXPECT_EQ(ReadMetrics(dir / "m")->size(), 1u);
}

TEST(MetricsLog, AppendsAfterAResume) {
  TempDir dir;
  for (int run = 0; run < 2; ++run) {
    StatusOr<MetricsLog> log = MetricsLog::Open(dir / "m");
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log->Write(Step(run)).ok());
    ASSERT_TRUE(log->Close().ok());
  }
  EXPECT_EQ(ReadMetrics(dir / "m")->size(), 2u);
}

TEST(MetricsLog, ReportsAFullDisk) {
  StatusOr<MetricsLog> log = MetricsLog::Open("/dev/full");
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE(log->Write(Step(0)).ok());
  EXPECT_THAT(Message(log->Close()), testing::HasSubstr("free some space"));
}

TEST(ReadMetrics, ErrorsNameFileAndLine) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "m", "{\"step\":1}\n").ok());
  EXPECT_THAT(Message(ReadMetrics(dir / "m").status()),
              testing::HasSubstr("m:1: \"loss\" is missing"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

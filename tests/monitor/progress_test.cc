#include "gyre/monitor/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gyre::internal::inline tests {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class ProgressTest : public testing::Test {
 protected:
  Progress Make(bool terminal) {
    ProgressOptions options;
    options.total_steps = 100;
    options.terminal = terminal;
    options.write = [this](std::string_view text) { out_ += text; };
    options.now_ns = [this] { return now_; };
    return Progress(std::move(options));
  }
  static ProgressState At(std::int64_t step) {
    ProgressState state;
    state.step = step;
    state.loss = 0.5;
    state.grad_norm = 1.25;
    state.skipped = 3;
    return state;
  }

  std::string out_;
  std::int64_t now_ = 50 * kSecond;
};

TEST_F(ProgressTest, LogGetsFirstLastAndOneEverySoOften) {
  Progress progress = Make(false);
  for (int step = 0; step < 100; ++step) {
    now_ += kSecond / 10;
    progress.Report(At(step));
  }
  progress.Finish();
  EXPECT_EQ(out_,
            "step 1/100  loss 0.5  norm 1.25  skipped 3  10 steps/s  10 s "
            "left\n"
            "step 51/100  loss 0.5  norm 1.25  skipped 3  10 steps/s  5 s "
            "left\n"
            "step 100/100  loss 0.5  norm 1.25  skipped 3  10 steps/s  10 s\n");
}

TEST_F(ProgressTest, TerminalRenewsOneLine) {
  Progress progress = Make(true);
  for (int step = 0; step < 4; ++step) {
    now_ += kSecond;
    progress.Report(At(step));
  }
  progress.Finish();
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\r'), 4);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1);
  EXPECT_EQ(out_.back(), '\n');
}

TEST_F(ProgressTest, TerminalIsNotFlooded) {
  Progress progress = Make(true);
  for (int step = 0; step < 100; ++step) {
    now_ += kSecond / 1000;
    progress.Report(At(step));
  }
  progress.Finish();
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\r'), 2);
  EXPECT_THAT(out_, testing::HasSubstr("step 100/100"));
}

TEST_F(ProgressTest, NothingReportedShowsNothing) {
  Progress progress = Make(true);
  progress.Finish();
  EXPECT_EQ(out_, "");
}

TEST(ProgressLine, ShowsANumberThatIsNotFinite) {
  ProgressState state;
  state.loss = std::numeric_limits<double>::quiet_NaN();
  state.grad_norm = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ProgressLine(state, 0, 10, 0),
            "step 1/10  loss nan  norm inf  skipped 0");
}

TEST(ProgressLine, AResumedRunCountsItsOwnStepsOnly) {
  ProgressState state;
  state.step = 59;
  EXPECT_THAT(ProgressLine(state, 50, 100, 2.0),
              testing::HasSubstr("5.00 steps/s  8 s left"));
}

TEST(Duration, IsShort) {
  EXPECT_EQ(Duration(0), "0 s");
  EXPECT_EQ(Duration(3.2), "4 s");
  EXPECT_EQ(Duration(125), "2 min 05 s");
  EXPECT_EQ(Duration(3725), "1 h 02 min");
  EXPECT_EQ(Duration(1e30), "277777 h 46 min");
  EXPECT_EQ(Duration(-1), "0 s");
}

}  // namespace
}  // namespace gyre::internal::inline tests

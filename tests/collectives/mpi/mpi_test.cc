// The MPI backend under a real mpirun.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/command.h"

namespace gyre::internal::inline tests {
namespace {

// Where a rank ends without a farewell, mpirun sometimes stays behind when all
// ranks are gone: it is ended then, and what they said is looked at.
Result RunProbe(int ranks, const std::string& name) {
  return RunCommand({"/usr/bin/timeout",
                     "--kill-after=5",
                     "40",
                     GYRE_MPIRUN,
                     "--allow-run-as-root",
                     "--oversubscribe",
                     "-n",
                     Cat(ranks),
                     GYRE_MPI_PROBE,
                     name});
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void ExpectFine(int ranks, const std::string& name) {
  const Result result = RunProbe(ranks, name);
  EXPECT_EQ(result.code, 0) << result.text;
  for (int r = 0; r < ranks; ++r) {
    EXPECT_TRUE(Contains(result.text, Cat("rank ", r, ": fine")))
        << result.text;
  }
}

// The line of a rank in what the probe printed.
std::string LineOf(const Result& result, int rank) {
  const std::string mark = Cat("rank ", rank, ": ");
  const auto at = result.text.find(mark);
  if (at == std::string::npos) return "";
  return result.text.substr(at, result.text.find('\n', at) - at);
}

TEST(MpiTest, MessagesComeWholeAndInOrder) { ExpectFine(3, "transport"); }

TEST(MpiTest, TheSameBitsAsEveryBackend) {
  ExpectFine(2, "conformance");
  ExpectFine(4, "conformance");
}

// Made-up hosts of two processes each, which share memory for real.
TEST(MpiTest, TwoLevelsGiveTheSameBits) { ExpectFine(4, "two-level"); }

TEST(MpiTest, AMismatchIsNamedOnBothSidesWithTheLines) {
  const Result result = RunProbe(4, "mismatch");
  for (int r = 0; r < 4; ++r) {
    const std::string line = LineOf(result, r);
    EXPECT_TRUE(Contains(line, "sum of 1000000 f32, at train.cc:88")) << line;
    EXPECT_TRUE(Contains(line, "rank 1 called")) << result.text;
    EXPECT_TRUE(Contains(line, "sum of 2000000 f32, at train.cc:88"));
  }
}

TEST(MpiTest, ALateRankIsNamedAtTheDeadline) {
  const Result result = RunProbe(3, "late");
  for (const int r : {0, 2}) {
    const std::string line = LineOf(result, r);
    EXPECT_TRUE(Contains(line, "rank 1 has not entered all_reduce #3 (loss)"))
        << result.text;
    EXPECT_TRUE(
        Contains(line, "last seen in all_reduce #2 (warm-up) at train.cc:88"))
        << result.text;
  }
}

TEST(MpiTest, ARankThatGivesUpOrLeavesIsNamed) {
  const Result gave_up = RunProbe(3, "give-up");
  for (const int r : {0, 2}) {
    EXPECT_TRUE(
        Contains(LineOf(gave_up, r), "rank 1 gave up: file x is damaged"))
        << gave_up.text;
  }
  const Result left = RunProbe(3, "leave-early");
  for (const int r : {0, 2}) {
    EXPECT_TRUE(Contains(LineOf(left, r), "rank 1 has left the world") ||
                Contains(LineOf(left, r), "rank 1 has left"))
        << left.text;
  }
}

TEST(MpiTest, WaitingCostsLittleOfAProcessor) { ExpectFine(3, "wait"); }

}  // namespace
}  // namespace gyre::internal::inline tests

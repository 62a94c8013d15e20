#include "apps/gyre/launch/verdict.h"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/core/exit_code.h"

namespace gyre::internal::inline tests {
namespace {

TEST(VerdictTest, AllWell) {
  const std::vector<RankEnd> ends = {{.rank = 1}, {.rank = 0}};
  const Verdict verdict = Judge(ends, std::nullopt, 0);
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.line, "");
}

TEST(VerdictTest, AKilledRankIsTheCauseEvenWhenOthersEndedBefore) {
  const std::vector<RankEnd> ends = {{.rank = 0, .code = kExitPeer},
                                     {.rank = 2, .signal = 9}};
  const Verdict verdict = Judge(ends, GivingUp{0, ErrorKind::kPeer}, 0);
  EXPECT_EQ(verdict.exit_code, kExitPeer);
  EXPECT_EQ(verdict.line, "rank 2 was killed by signal 9 (Killed)");
}

TEST(VerdictTest, TheRankThatGaveUpFirstIsNamedThoughItEndedLast) {
  const std::vector<RankEnd> ends = {{.rank = 0, .code = kExitPeer},
                                     {.rank = 1, .code = 42},
                                     {.rank = 3, .code = kExitData}};
  const Verdict verdict = Judge(ends, GivingUp{3, ErrorKind::kData}, 0);
  EXPECT_EQ(verdict.exit_code, kExitData);
  EXPECT_EQ(verdict.line, "rank 3 failed with exit code 3 (data)");
}

TEST(VerdictTest, ALostPeerIsAnEffectWhenThereIsACause) {
  const std::vector<RankEnd> ends = {{.rank = 0, .code = kExitPeer},
                                     {.rank = 1, .code = 42}};
  const Verdict verdict = Judge(ends, GivingUp{0, ErrorKind::kPeer}, 0);
  EXPECT_EQ(verdict.exit_code, 42);
  EXPECT_EQ(verdict.line, "rank 1 failed with exit code 42");
}

TEST(VerdictTest, ALateRankMakesTheFirstWhoSaidSoCount) {
  const std::vector<RankEnd> ends = {
      {.rank = 0, .code = kExitPeer},
      {.rank = 1, .signal = 9, .ended_by_us = true}};
  const Verdict verdict = Judge(ends, GivingUp{0, ErrorKind::kPeer}, 0);
  EXPECT_EQ(verdict.exit_code, kExitPeer);
  EXPECT_NE(verdict.line.find("rank 0"), std::string::npos);
}

TEST(VerdictTest, AStoppedRunHasTheShellsCode) {
  const std::vector<RankEnd> ends = {{.rank = 0, .signal = 2},
                                     {.rank = 1, .code = kExitPeer}};
  const Verdict verdict = Judge(ends, std::nullopt, 2);
  EXPECT_EQ(verdict.exit_code, 130);
  EXPECT_EQ(verdict.line, "stopped by signal 2 (Interrupt)");
}

TEST(VerdictTest, RanksThatWereStoppedByOthersThanTheLauncher) {
  const std::vector<RankEnd> ends = {{.rank = 1, .code = 128 + 10},
                                     {.rank = 0, .code = 128 + 10}};
  const Verdict verdict = Judge(ends, std::nullopt, 0);
  EXPECT_EQ(verdict.exit_code, 138);
  EXPECT_EQ(verdict.line, "stopped by signal 10 (User defined signal 1)");
  EXPECT_FALSE(verdict.worth_restarting);
  EXPECT_TRUE(WasStopped(ends[0]));
  EXPECT_FALSE(WasStopped({.rank = 0, .code = 130}));
  EXPECT_FALSE(WasStopped({.rank = 0, .signal = 15}));
}

TEST(VerdictTest, ARankThatWeHaveStoppedIsNoCause) {
  const std::vector<RankEnd> ends = {
      {.rank = 1, .code = kExitPeer},
      {.rank = 0, .code = 128 + 15, .ended_by_us = true}};
  const auto name = [](int rank) { return Cat("host n", rank); };
  const Verdict verdict = Judge(ends, std::nullopt, 0, name);
  EXPECT_EQ(verdict.exit_code, kExitPeer);
  EXPECT_EQ(verdict.line,
            "host n1 failed with exit code 4 (a peer was lost or late)");
}

TEST(VerdictTest, WhatIsWorthAnotherTry) {
  const auto again = [](RankEnd end) {
    return Judge(std::span(&end, 1), std::nullopt, 0).worth_restarting;
  };
  EXPECT_TRUE(again({.signal = 9}));
  for (const int code : {1, 42, int{kExitPeer}, int{kExitMismatch}}) {
    EXPECT_TRUE(again({.code = code})) << code;
  }
  for (const int code : {int{kExitUsage},
                         int{kExitData},
                         int{kExitGuard},
                         int{kExitCheckpoint}}) {
    EXPECT_FALSE(again({.code = code})) << code;
  }
  const RankEnd stopped = {.signal = 2};
  EXPECT_FALSE(Judge(std::span(&stopped, 1), std::nullopt, 2).worth_restarting);
}

TEST(VerdictTest, AProcessOfSeveralRanks) {
  const std::vector<RankEnd> killed = {
      {.rank = 0, .ranks = 4, .code = kExitPeer},
      {.rank = 4, .ranks = 4, .signal = 9}};
  EXPECT_EQ(Judge(killed, GivingUp{2, ErrorKind::kPeer}, 0).line,
            "ranks 4 to 7 were killed by signal 9 (Killed)");
  const std::vector<RankEnd> failed = {
      {.rank = 0, .ranks = 4, .code = kExitPeer},
      {.rank = 4, .ranks = 4, .code = kExitData}};
  EXPECT_EQ(Judge(failed, GivingUp{6, ErrorKind::kData}, 0).line,
            "rank 6 failed with exit code 3 (data)");
  // The code is of another rank than the one that is known to have given up.
  EXPECT_EQ(Judge(failed, GivingUp{5, ErrorKind::kPeer}, 0).line,
            "ranks 4 to 7 failed with exit code 3 (data)");
  EXPECT_EQ(Judge(failed, std::nullopt, 0).line,
            "ranks 4 to 7 failed with exit code 3 (data)");
}

TEST(VerdictTest, AStoppedRunThatEndsWellIsWell) {
  const std::vector<RankEnd> ends = {{.rank = 0}, {.rank = 1}};
  EXPECT_EQ(Judge(ends, std::nullopt, 15).exit_code, 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests

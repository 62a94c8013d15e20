#include "gyre/mesh/stragglers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<ControlRecord> Arrivals(const std::vector<std::int64_t>& ns) {
  std::vector<ControlRecord> records(ns.size());
  for (std::size_t r = 0; r < ns.size(); ++r) records[r].arrival_ns = ns[r];
  return records;
}

TEST(StragglersTest, TheLastAndHowFarItIsBehindTheNext) {
  const auto last = [](const std::vector<std::int64_t>& ns) {
    const auto found = FindLast(Arrivals(ns));
    return found ? std::pair(found->rank, found->behind_ns) : std::pair(-1, 0L);
  };
  EXPECT_EQ(last({10, 20, 15}), std::pair(1, 5L));
  EXPECT_EQ(last({30, 20, 15}), std::pair(0, 10L));
  EXPECT_EQ(last({5, 1, 9, 7}), std::pair(2, 2L));
  EXPECT_EQ(last({4, 4}), std::pair(0, 0L));
  EXPECT_EQ(last({4}), std::pair(-1, 0L));
}

TEST(StragglersTest, ARankThatIsUsuallyLastAndCostsTimeIsNamed) {
  Stragglers stragglers(3);
  const std::int64_t ms = 1'000'000;
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::int64_t at = i * 100 * ms;
    // Rank 1 is late by 20 ms; once it is rank 0, by 90.
    stragglers.Add(Arrivals(
        {i == 9 ? at + 90 * ms : at + ms, at + (i == 9 ? 0 : 21 * ms), at}));
  }
  const auto worst = stragglers.Worst();
  ASSERT_TRUE(worst.has_value());
  EXPECT_EQ(worst->rank, 1);
  EXPECT_EQ(worst->times_last, 9);
  EXPECT_EQ(worst->collectives, 10);
  EXPECT_DOUBLE_EQ(worst->mean_s, 0.02);
  EXPECT_DOUBLE_EQ(worst->worst_s, 0.02);
  EXPECT_EQ(Describe(*worst),
            "rank 1 was last in 9 of 10 collectives, 20.0 ms behind the next "
            "on average, 20.0 ms at most: 18.2% of the time");
}

TEST(StragglersTest, RanksThatTakeTurnsOrCostNothingAreNot) {
  Stragglers turns(2);
  Stragglers cheap(2);
  for (std::int64_t i = 0; i < 10; ++i) {
    turns.Add(Arrivals({i * 1000 + (i % 2) * 300, i * 1000 + 100}));
    cheap.Add(Arrivals({i * 1000 + 1, i * 1000}));
  }
  // Half a millisecond of each, as rank 0 is late that writes the records.
  Stragglers writes(2);
  for (std::int64_t i = 0; i < 10; ++i) {
    writes.Add(Arrivals({i * 1'000'000 + 500'000, i * 1'000'000}));
  }
  EXPECT_FALSE(writes.Worst().has_value());
  EXPECT_FALSE(turns.Worst().has_value());
  EXPECT_FALSE(cheap.Worst().has_value());
  EXPECT_FALSE(Stragglers(2).Worst().has_value());
  EXPECT_FALSE(Stragglers(0).Worst().has_value());
  turns.Add({.rank = 7, .behind_ns = 1'000'000}, 10'000);  // not one of them
  EXPECT_FALSE(turns.Worst().has_value());
}

TEST(StragglersTest, ASlowRankOfARealWorld) {
  const Status status = LocalWorld(3).Run([](Communicator& comm) -> Status {
    Stragglers stragglers(comm.size());
    for (int i = 0; i < 10; ++i) {
      if (comm.rank() == 2) ::usleep(20'000);
      GYRE_RETURN_IF_ERROR(comm.Barrier({}));
      stragglers.Add(comm.records());
    }
    const auto worst = stragglers.Worst();
    if (!worst.has_value() || worst->rank != 2) {
      return InternalError("rank 2 was not named");
    }
    return OkStatus();
  });
  EXPECT_EQ(status, OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests

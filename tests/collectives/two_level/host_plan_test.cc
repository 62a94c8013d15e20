#include "gyre/collectives/two_level/host_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(HostPlanTest, RanksNumberedHostByHostNeedOneSumAHost) {
  const int hosts[] = {7, 7, 7, 7, 3, 3, 3, 3};
  const HostPlan plan(hosts, 5);
  EXPECT_EQ(plan.hosts(), 2);
  EXPECT_THAT(plan.nodes(0), ElementsAre(RankRange{0, 4}));
  EXPECT_THAT(plan.nodes(1), ElementsAre(RankRange{4, 4}));
  EXPECT_EQ(plan.my_host(), 1);
  EXPECT_EQ(plan.local_rank(), 1);
  EXPECT_THAT(plan.local_ranks(), ElementsAre(4, 5, 6, 7));
  EXPECT_TRUE(plan.useful());
}

TEST(HostPlanTest, ThreeRanksAHostNeedTwoSums) {
  const int hosts[] = {0, 0, 0, 1, 1, 1};
  const HostPlan plan(hosts, 0);
  EXPECT_THAT(plan.nodes(0),
              UnorderedElementsAre(RankRange{0, 2}, RankRange{2, 1}));
  EXPECT_THAT(plan.nodes(1),
              UnorderedElementsAre(RankRange{3, 1}, RankRange{4, 2}));
}

TEST(HostPlanTest, AnyPlacementCoversEveryRankOnce) {
  for (int seed = 0; seed < 200; ++seed) {
    const int ranks = 1 + seed % 13;
    std::vector<int> hosts;
    for (int r = 0; r < ranks; ++r) hosts.push_back((r * seed / 3 + r) % 4);
    const HostPlan plan(hosts, ranks - 1);
    std::vector<int> covered(ranks);
    for (int h = 0; h < plan.hosts(); ++h) {
      for (const RankRange& node : plan.nodes(h)) {
        for (int r = node.first; r < node.first + node.count; ++r) {
          EXPECT_EQ(plan.host_of(r), h);
          ++covered[r];
        }
      }
    }
    EXPECT_THAT(covered, testing::Each(1));
  }
}

TEST(HostPlanTest, OneHostIsOneSum) {
  const int hosts[] = {4, 4, 4};
  EXPECT_THAT(HostPlan(hosts, 0).nodes(0), ElementsAre(RankRange{0, 3}));
  const int one[] = {4};
  EXPECT_THAT(HostPlan(one, 0).nodes(0), ElementsAre(RankRange{0, 1}));
}

TEST(HostPlanTest, TheRanksOfAHostShareTheWorkForOthers) {
  const int hosts[] = {0, 0, 1, 1, 1, 1};
  const HostPlan plan(hosts, 0);
  EXPECT_EQ(plan.AgentOf(1, 0), 2);
  EXPECT_EQ(plan.AgentOf(1, 1), 3);
  EXPECT_EQ(plan.AgentOf(0, 2), 0);
  EXPECT_EQ(plan.AgentOf(0, 3), 1);
  EXPECT_EQ(plan.AgentOf(0, 4), 0);
  EXPECT_EQ(plan.AgentOf(0, 5), 1);
}

TEST(HostPlanTest, ARankAHostHasNoUseForTwoLevels) {
  const int hosts[] = {0, 1, 2};
  EXPECT_FALSE(HostPlan(hosts, 0).useful());
}

}  // namespace
}  // namespace gyre::internal::inline tests

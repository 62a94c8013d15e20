#include "gyre/collectives/launch/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline collectives::launch {
namespace {

using testing::ElementsAre;

TEST(HostListTest, NamesAndRanges) {
  EXPECT_THAT(*ExpandHostList("login"), ElementsAre("login"));
  EXPECT_THAT(*ExpandHostList("a,b-1"), ElementsAre("a", "b-1"));
  EXPECT_THAT(
      *ExpandHostList("node[1-3,7]-ib,gpu1"),
      ElementsAre("node1-ib", "node2-ib", "node3-ib", "node7-ib", "gpu1"));
  EXPECT_THAT(*ExpandHostList("n[08-11]"),
              ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(*ExpandHostList("r[1-2]n[01-02].x"),
              ElementsAre("r1n01.x", "r1n02.x", "r2n01.x", "r2n02.x"));
}

TEST(HostListTest, WhatIsNoListIsRefused) {
  for (const char* bad : {"",
                          "a,",
                          ",a",
                          "n[1-",
                          "n[]",
                          "n1]",
                          "n[3-1]",
                          "n[a-b]",
                          "n[-1]",
                          "n[1-99999999]",
                          "n[1-65536],m",
                          "n[1-60000][1-60000]"}) {
    const auto hosts = ExpandHostList(bad);
    ASSERT_FALSE(hosts.ok()) << bad;
    EXPECT_EQ(KindOf(hosts.status()), ErrorKind::kConfig);
    EXPECT_THAT(Message(hosts.status()), testing::HasSubstr("node[1-3,7]-ib"));
  }
}

TEST(TaskCountsTest, CountsAndRepetitions) {
  EXPECT_THAT(*ExpandTaskCounts("4"), ElementsAre(4));
  EXPECT_THAT(*ExpandTaskCounts("1(x2)"), ElementsAre(1, 1));
  EXPECT_THAT(*ExpandTaskCounts("2(x3),1"), ElementsAre(2, 2, 2, 1));
}

TEST(TaskCountsTest, WhatIsNoListIsRefused) {
  for (const char* bad :
       {"", "x", "2(x", "2(x3", "2(3)", "0", "2,,1", "2(x0)", "2(x99999999)"}) {
    EXPECT_FALSE(ExpandTaskCounts(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace gyre::internal::inline collectives::launch

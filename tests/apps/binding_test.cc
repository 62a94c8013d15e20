#include "apps/gyre/launch/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

// Two packages of two cores, each of two processors, numbered as Linux does.
std::vector<Processor> Machine() {
  return {{0, 0, 0},
          {1, 0, 1},
          {2, 1, 0},
          {3, 1, 1},
          {4, 0, 0},
          {5, 0, 1},
          {6, 1, 0},
          {7, 1, 1}};
}

TEST(BindingTest, WholeCoresSideBySide) {
  const auto two = Divide(Machine(), 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_THAT(two[0].processors, ElementsAre(0, 4, 1, 5));
  EXPECT_THAT(two[1].processors, ElementsAre(2, 6, 3, 7));
  EXPECT_EQ(two[1].cores, 2);
  const auto four = Divide(Machine(), 4);
  EXPECT_THAT(four[3].processors, ElementsAre(3, 7));
  EXPECT_EQ(four[3].cores, 1);
}

TEST(BindingTest, EveryRankGetsAsManyAsTheOthers) {
  const auto three = Divide(Machine(), 3);
  EXPECT_THAT(three[2].processors, ElementsAre(2, 6));
  EXPECT_EQ(three[2].cores, 1);
}

TEST(BindingTest, RanksThatOutnumberTheCoresTakeTurns) {
  const auto six = Divide(Machine(), 6);
  EXPECT_THAT(six[0].processors, six[4].processors);
  EXPECT_THAT(six[5].processors, ElementsAre(1, 5));
}

TEST(BindingTest, AMachineThatTellsNothing) {
  EXPECT_TRUE(Divide({}, 2).empty());
}

TEST(BindingTest, ThisMachine) { EXPECT_FALSE(AllowedProcessors().empty()); }

}  // namespace
}  // namespace gyre::internal::inline tests

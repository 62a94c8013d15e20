#include "apps/gyre/launch/rank_span.h"

#include <gtest/gtest.h>

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline tests {
namespace {

std::string Spread(int ranks, int processes, int first = 0) {
  std::string text;
  for (const RankSpan& span : SpreadRanks(ranks, processes, first)) {
    text += Cat(text.empty() ? "" : " ", ShortName(span));
  }
  return text;
}

TEST(RankSpanTest, RanksAreSpreadEvenly) {
  EXPECT_EQ(Spread(4, 0), "0 1 2 3");
  EXPECT_EQ(Spread(4, 4), "0 1 2 3");
  EXPECT_EQ(Spread(8, 2), "0-3 4-7");
  EXPECT_EQ(Spread(8, 3), "0-2 3-5 6-7");
  EXPECT_EQ(Spread(7, 5), "0-1 2-3 4 5 6");
  EXPECT_EQ(Spread(8, 1), "0-7");
  EXPECT_EQ(Spread(3, 2, 5), "5-6 7");
}

TEST(RankSpanTest, Names) {
  EXPECT_EQ(Name({4, 1}), "rank 4");
  EXPECT_EQ(Name({4, 2}), "ranks 4 and 5");
  EXPECT_EQ(Name({4, 4}), "ranks 4 to 7");
}

TEST(RankSpanTest, WhoIsInIt) {
  const RankSpan span = {4, 2};
  EXPECT_FALSE(span.Has(3));
  EXPECT_TRUE(span.Has(4));
  EXPECT_TRUE(span.Has(5));
  EXPECT_FALSE(span.Has(6));
}

}  // namespace
}  // namespace gyre::internal::inline tests

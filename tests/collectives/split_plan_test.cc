#include "gyre/collectives/split_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

using Lists = std::vector<std::vector<int>>;

TEST(SplitPlanTest, GoodSplits) {
  for (const Lists& lists : {Lists{{0}},
                             Lists{{0, 1}, {0, 1}},
                             Lists{{1, 0}, {1, 0}},
                             Lists{{}, {}},
                             Lists{{0, 2}, {1}, {0, 2}, {}}}) {
    EXPECT_EQ(CheckSplit(lists), OkStatus());
  }
}

void ExpectError(const Lists& lists, ErrorKind kind, const std::string& part) {
  const Status status = CheckSplit(lists);
  ASSERT_FALSE(status.ok()) << part;
  EXPECT_EQ(KindOf(status), kind);
  EXPECT_NE(Message(status).find(part), std::string::npos) << status;
}

TEST(SplitPlanTest, BadLists) {
  ExpectError({{0, 2}, {1}}, ErrorKind::kConfig, "the ranks go from 0 to 1");
  ExpectError({{-1, 0}, {1}}, ErrorKind::kConfig, "[-1, 0]");
  ExpectError({{0, 1, 0}, {1}}, ErrorKind::kConfig, "has rank 0 twice");
  ExpectError({{0}, {0}}, ErrorKind::kConfig, "rank 1 asked for the group [0]");
}

TEST(SplitPlanTest, ListsThatDoNotFitTogether) {
  ExpectError({{0, 1}, {1, 0}},
              ErrorKind::kMismatch,
              "rank 0 asked for the group [0, 1], but rank 1 asked for [1, 0]");
  ExpectError({{0, 1}, {}}, ErrorKind::kMismatch, "[]");
}

}  // namespace
}  // namespace gyre::internal::inline tests

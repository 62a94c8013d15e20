#include "gyre/mesh/agreement.h"

#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

using Lines = std::vector<std::string>;
using testing::HasSubstr;

// What each rank is told.
std::vector<Status> Agree(int ranks, const std::function<Lines(int)>& lines) {
  std::vector<Status> told(ranks);
  LocalWorld world(ranks);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    told[comm.rank()] = AgreeOnLines(lines(comm.rank()), "program", comm);
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
  return told;
}

TEST(Agreement, EqualListsAgree) {
  for (const int ranks : {1, 2, 3}) {
    for (const Status& s : Agree(ranks, [](int) { return Lines{"a", "b"}; })) {
      EXPECT_TRUE(s.ok()) << s;
    }
    for (const Status& s : Agree(ranks, [](int) { return Lines{}; })) {
      EXPECT_TRUE(s.ok()) << s;
    }
  }
}

TEST(Agreement, EveryRankSeesTheFirstDifferenceAsBothHaveIt) {
  const auto told = Agree(4, [](int rank) {
    return Lines{"x", rank == 2 ? "mul at a.cc:8" : "add at a.cc:7", "z"};
  });
  for (const Status& s : told) {
    EXPECT_EQ(KindOf(s), ErrorKind::kMismatch);
    EXPECT_THAT(std::string(s.message()),
                HasSubstr("rank 2 has another program than rank 0; they first "
                          "differ in line 2:\n"
                          "  rank 0: add at a.cc:7\n"
                          "  rank 2: mul at a.cc:8\n"));
  }
}

TEST(Agreement, AListThatEndsEarlierIsADifference) {
  const auto told = Agree(2, [](int rank) {
    return rank == 0 ? Lines{"a"} : Lines{"a", "b"};
  });
  EXPECT_THAT(std::string(told[0].message()),
              HasSubstr("rank 0: (nothing: it ends here)\n  rank 1: b"));
}

TEST(Agreement, LongLinesAreComparedWholeAndCutInTheMessage) {
  const auto told = Agree(2, [](int rank) {
    std::string line(5000, 'a');
    line.push_back(rank == 0 ? 'x' : 'y');
    return Lines{line};
  });
  EXPECT_EQ(KindOf(told[1]), ErrorKind::kMismatch);
  EXPECT_LT(told[1].message().size(), 1200u);
}

}  // namespace
}  // namespace gyre::internal::inline tests

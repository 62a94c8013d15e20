#include "gyre/mesh/gather_texts.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

TEST(GatherTexts, OfDifferentLengthsArriveWholeOnAllRanks) {
  LocalWorld world(3);
  const Status status = world.Run([](Communicator& comm) -> Status {
    const std::string mine(static_cast<std::size_t>(comm.rank()) * 700, 'a');
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                          GatherTexts(mine, comm, "texts"));
    EXPECT_EQ(texts.size(), 3u);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(texts[r], std::string(r * 700, 'a'));
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

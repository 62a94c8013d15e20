#include "gyre/mesh/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<DimRule> kRules = {
    {"batch", "data"}, {"lat", ""}, {"lon", "space"}};
const std::vector<MeshAxis> kAxes = {{"data", 2}, {"space", 2}};

// Calls `look` with the sharding on each of four ranks.
void OnRanks(const std::function<void(const Sharding&, int rank)>& look) {
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, kAxes));
    GYRE_ASSIGN_OR_RETURN(
        const Sharding sharding,
        Sharding::Create(mesh,
                         kRules,
                         {{"x", {"batch", "lat", "lon"}, {8, 33, 36}},
                          {"weight", {"lat"}, {33}}}));
    look(sharding, comm.rank());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

std::string ErrorOf(std::vector<DimRule> rules, ShardedTensor tensor) {
  std::string text;
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, kAxes));
    return Sharding::Create(mesh, rules, {tensor}).status();
  });
  return status.ok() ? "" : Message(status);
}

TEST(Sharding, EveryRankHasItsBlock) {
  OnRanks([](const Sharding& sharding, int rank) {
    const TensorBlock x = *sharding.Block("x");
    EXPECT_EQ(x.shape, Shape({4, 33, 18}));
    EXPECT_THAT(x.start, ElementsAre(rank / 2 * 4, 0, rank % 2 * 18));
    EXPECT_EQ(sharding.Block("weight")->shape, Shape({33}));
    EXPECT_THAT(sharding.axes(), ElementsAre("data", "space"));
    EXPECT_THAT(Message(sharding.Block("y").status()),
                HasSubstr("no tensor \"y\""));
  });
}

TEST(Sharding, DescribesWhoHoldsWhat) {
  OnRanks([](const Sharding& sharding, int) {
    EXPECT_EQ(sharding.Describe(),
              "  mesh data=2 x space=2\n"
              "  batch -> data\n"
              "  lat: whole on every rank\n"
              "  lon -> space\n"
              "  x (8, 33, 36): batch, lat, lon\n"
              "  weight (33): lat\n"
              "x, on each rank (4, 33, 18)\n"
              "  rank 0: batch 0 to 3, lon 0 to 17\n"
              "  rank 1: batch 0 to 3, lon 18 to 35\n"
              "  rank 2: batch 4 to 7, lon 0 to 17\n"
              "  rank 3: batch 4 to 7, lon 18 to 35\n"
              "weight, on each rank (33)\n"
              "  rank 0: all of it\n"
              "  rank 1: all of it\n"
              "  rank 2: all of it\n"
              "  rank 3: all of it\n");
  });
}

TEST(Sharding, RefusesWithTheTableOfWhatWasAsked) {
  const ShardedTensor x = {"x", {"batch", "level", "lon"}, {8, 13, 36}};
  const std::string unlisted = ErrorOf(kRules, x);
  EXPECT_THAT(unlisted, HasSubstr("a dimension \"level\" without a rule"));
  EXPECT_THAT(unlisted, HasSubstr("x (8, 13, 36): batch, level, lon"));
  EXPECT_THAT(ErrorOf(kRules, {"x", {"batch", "lon"}, {8, 35}}),
              HasSubstr("35 elements, which 2 ranks of space do not divide"));
  EXPECT_THAT(ErrorOf({{"batch", "data"}, {"lon", "data"}},
                      {"x", {"batch", "lon"}, {8, 36}}),
              HasSubstr("cut twice over the axis data"));
  EXPECT_THAT(ErrorOf({{"batch", "dta"}}, {"x", {"batch"}, {8}}),
              HasSubstr("no axis \"dta\""));
  EXPECT_THAT(
      ErrorOf({{"batch", "data"}, {"batch", ""}}, {"x", {"batch"}, {8}}),
      HasSubstr("two rules for the dimension \"batch\""));
  EXPECT_THAT(ErrorOf(kRules, {"x", {"batch"}, {8, 36}}),
              HasSubstr("has 2 dimensions and 1 names"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

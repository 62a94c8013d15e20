#include "gyre/mesh/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

std::string CreateError(int ranks, std::vector<MeshAxis> axes) {
  LocalWorld world(ranks);
  const Status status = world.Run(
      [&](Communicator& comm) { return Mesh::Create(comm, axes).status(); });
  return status.ok() ? "" : Message(status);
}

TEST(Mesh, TheRestGoesToMinusOne) {
  LocalWorld world(6);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                          Mesh::Create(comm, {{"data", -1}, {"model", 2}}));
    EXPECT_EQ(mesh.Describe(), "data=3 x model=2");
    EXPECT_EQ(mesh.SizeOf(mesh.all_axes()), 6);
    EXPECT_EQ(mesh.Group(mesh.all_axes()), &comm);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Mesh, GroupsHoldTheRanksThatDifferOnTheirAxes) {
  LocalWorld world(6);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                          Mesh::Create(comm, {{"data", 3}, {"model", 2}}));
    GYRE_ASSIGN_OR_RETURN(const AxisSet data, mesh.Axes({"data"}));
    GYRE_ASSIGN_OR_RETURN(const AxisSet model, mesh.Axes({"model"}));
    // The last axis varies fastest: rank = 2 * data + model.
    float x = static_cast<float>(comm.rank());
    float y = x;
    GYRE_RETURN_IF_ERROR(mesh.Group(data)->AllReduce(
        &x, &x, 1, DType::kF32, ReduceOp::kSum, {}));
    GYRE_RETURN_IF_ERROR(mesh.Group(model)->AllReduce(
        &y, &y, 1, DType::kF32, ReduceOp::kSum, {}));
    EXPECT_EQ(x, comm.rank() % 2 == 0 ? 0 + 2 + 4 : 1 + 3 + 5);
    EXPECT_EQ(y, 2 * (comm.rank() / 2 * 2) + 1);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Mesh, RefusesWhatDoesNotFit) {
  EXPECT_THAT(CreateError(4, {{"data", 3}}), HasSubstr("does not fit 4 ranks"));
  EXPECT_THAT(CreateError(4, {{"data", -1}, {"model", 3}}),
              HasSubstr("does not fit 4 ranks"));
  EXPECT_THAT(CreateError(2, {{"a", -1}, {"b", -1}}),
              HasSubstr("only one axis may be -1"));
  EXPECT_THAT(CreateError(2, {{"a", 2}, {"a", 1}}), HasSubstr("twice"));
  EXPECT_THAT(CreateError(2, {{"", 2}}), HasSubstr("has no name"));
  EXPECT_THAT(CreateError(2, {{"a", 0}}), HasSubstr("size of 1 or more"));
}

TEST(Mesh, AMisspeltAxisNamesThoseThere) {
  LocalWorld world(1);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", 1}}));
    EXPECT_EQ(mesh.Group(mesh.all_axes()), nullptr);
    return mesh.Axes({"dta"}).status();
  });
  EXPECT_THAT(Message(status), HasSubstr("no axis \"dta\"; it has data=1"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

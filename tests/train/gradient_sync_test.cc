#include "gyre/train/step/gradient_sync.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

TEST(GradientSync, NeighboursWithTheSameAxesAreOneRange) {
  LocalWorld world(4);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                          Mesh::Create(comm, {{"data", 2}, {"model", 2}}));
    optim::FlatLayout layout;
    for (const char* name : {"a", "b", "c"}) {
      GYRE_RETURN_IF_ERROR(layout.Add(name, {20}));
    }
    const PartSpec cut{.whole = {40}, .dim = 0, .axes = 2};
    const GradientSync sync(
        mesh,
        layout,
        {{.reduce = 3}, {.part = cut, .reduce = 1}, {.reduce = 1}});
    EXPECT_EQ(sync.ranges().size(), 2u);
    EXPECT_EQ(sync.ranges()[1].begin, 1);
    EXPECT_EQ(sync.ranges()[1].offset, 32);
    EXPECT_EQ(sync.ranges()[1].count, 64);
    EXPECT_EQ(sync.part_sets().size(), 1u);
    EXPECT_FALSE(sync.in_one_piece());
    EXPECT_EQ(sync.Describe(mesh),
              "data=2 x model=2: 1 tensors, 32 elements\n"
              "data=2: 2 tensors, 64 elements\n");
    const GradientSync whole(
        mesh, layout, {{.reduce = 3}, {.reduce = 3}, {.reduce = 3}});
    EXPECT_TRUE(whole.in_one_piece());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests

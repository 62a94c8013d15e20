#include "gyre/train/step/state_tensors.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/schedule.h"

namespace gyre::internal::inline tests {
namespace {

TEST(StateTensors, AreNamedByKindInTheOrderOfTheirArrays) {
  const Status status = LocalWorld(2).Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", 2}}));
    optim::FlatLayout layout, buffers;
    GYRE_RETURN_IF_ERROR(layout.Add("w", {3}));
    GYRE_RETURN_IF_ERROR(layout.Add("b", {17}));
    GYRE_RETURN_IF_ERROR(buffers.Add("mean", {2}));
    const optim::AnyOptimizer optimizer =
        optim::Chain(optim::Guard{}, optim::Adam(1e-3));
    // The second is half of a tensor.
    const TrainState state(
        mesh,
        layout,
        buffers,
        {{.part = {.whole = {3}}, .reduce = mesh.all_axes()},
         {.part = {.whole = {34}, .dim = 0, .axes = mesh.all_axes()}}},
        optimizer);
    const StateTensors t = TensorsOf(state);
    EXPECT_EQ(t.params.size(), 2u);
    EXPECT_EQ(t.params[0].name, "params/w");
    EXPECT_EQ(t.params[1].offset, 16);  // the next multiple
    EXPECT_EQ(t.params[1].shape, Shape({17}));
    EXPECT_EQ(t.params[1].part.whole, Shape({34}));
    EXPECT_TRUE(t.params[1].part.is_part());
    EXPECT_EQ(t.states.size(), state.state_layouts().size());
    EXPECT_EQ(t.states[0][1].name, "state/" + optimizer.StateNames()[0] + "/b");
    EXPECT_EQ(t.states[0][1].part.whole, Shape({34}));
    EXPECT_FALSE(t.states[0][1].cannot_join);
    EXPECT_FALSE(t.states[0][0].part.is_part());
    EXPECT_EQ(t.buffers[0].name, "buffers/mean");
    std::vector<float> array(layout.elements());
    EXPECT_EQ(t.params[1].In(std::span(array)).data(), array.data() + 16);
    EXPECT_EQ(t.params[1].In(std::span(array)).size(), 17u);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

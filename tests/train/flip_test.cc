#include "gyre/train/step/flip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "gyre/collectives/local/local_world.h"
#include "gyre/optim/schedule.h"
#include "gyre/optim/sgd.h"
#include "gyre/train/step/train_state.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

optim::FlatLayout LayoutFlip() {
  optim::FlatLayout layout;
  EXPECT_TRUE(layout.Add("w", {3}).ok());
  return layout;
}

TEST(Flip, OneBitOfOneElementOnOneRank) {
  LocalWorld world(2);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    GYRE_ASSIGN_OR_RETURN(
        const FaultPlan plan,
        FaultPlan::Parse("flip_param@rank=1,step=2,element=1,bit=30"));
    StepFaults faults{plan, comm.rank()};
    const TrainState state(
        mesh,
        LayoutFlip(),
        optim::FlatLayout(),
        {{.part = {.whole = {3}}, .reduce = mesh.all_axes()}},
        optim::Chain(optim::Guard{}, optim::Adam(1e-3)));
    float* const params = state.front().params();
    std::fill(params, params + 3, 1.0f);
    for (int step = 0; step < 4; ++step) {
      faults.Begin(step, 2);
      FlipBits(state, faults);
      EXPECT_EQ(faults.injected, step == 2 && comm.rank() == 1 ? 1 : 0);
    }
    EXPECT_EQ(params[0], 1.0f);
    EXPECT_EQ(params[2], 1.0f);
    const auto bits = std::bit_cast<std::uint32_t>(1.0f);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(params[1]),
              comm.rank() == 1 ? bits ^ (1u << 30) : bits);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(Flip, AMomentNeedsAnOptimizerThatHasOne) {
  const auto plain =
      optim::Chain(optim::Guard{}, optim::ScaleByLearningRate{1e-3});
  const FaultPlan moment = *FaultPlan::Parse("flip_moment@rank=0,step=1");
  EXPECT_THAT(Message(CheckFlips(moment, plain, LayoutFlip())),
              HasSubstr("keeps no state"));
  // "any" never draws a flip.
  const FaultPlan any = *FaultPlan::Parse("any_any@rate=0.5");
  EXPECT_TRUE(CheckFlips(any, plain, LayoutFlip()).ok());
}

TEST(Flip, HasPlacesOfItsOwn) {
  EXPECT_EQ(FaultPlan::Parse("flip_param@rank=1,step=2")->Hits(2, 4)[0].value,
            FaultValue::kFlip);
  for (const char* text : {"flip_grad@rank=0,step=1",
                           "nan_param@rank=0,step=1",
                           "any_moment@rank=0,step=1",
                           "flip_any@rank=0,step=1"}) {
    EXPECT_THAT(Message(FaultPlan::Parse(text).status()),
                HasSubstr("flip_param or flip_moment"))
        << text;
  }
  EXPECT_THAT(
      Message(FaultPlan::Parse("flip_param@rank=0,step=1,bit=32").status()),
      HasSubstr("bit=32 is not one of 0 to 31"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

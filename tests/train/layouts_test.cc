#include "tests/train/layouts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/fork_world.h"

namespace gyre::internal::inline tests {
namespace {

constexpr int kSteps = 50;

// The largest difference of two sets of tensors, by the size of the largest
// number in them.
double Difference(const std::map<std::string, Tensor>& a,
                  const std::map<std::string, Tensor>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0, difference = 0;
  for (const auto& [name, tensor] : a) {
    EXPECT_EQ(tensor.shape(), b.at(name).shape()) << name;
    const std::span<const float> x = tensor.data<float>();
    const std::span<const float> y = b.at(name).data<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(double{x[i]}));
      difference = std::max(difference, std::abs(double{x[i]} - double{y[i]}));
    }
  }
  return difference / largest;
}

class LayoutsTest : public testing::TestWithParam<int> {};

TEST_P(LayoutsTest, EveryMeshTrainsAlike) {
  const Program program = AllPrograms()[GetParam()];
  SCOPED_TRACE(program.name);
  const Training alone = TrainLayout({}, program, kSteps);
  EXPECT_LT(alone.losses.back(), alone.losses.front());
  for (const MeshShape& layout : AllShapes()) {
    SCOPED_TRACE(layout.ToString());
    const Training many = TrainLayout(layout, program, kSteps);
    EXPECT_LT(Difference(alone.gradient, many.gradient), 1e-5);
    EXPECT_NEAR(many.norms[0], alone.norms[0], 1e-5 * alone.norms[0]);
    for (int i = 0; i < kSteps; ++i) {
      ASSERT_NEAR(many.losses[i], alone.losses[i], 1e-5 * alone.losses[i]) << i;
    }
  }
}

// States in parts are the same states.
TEST_P(LayoutsTest, StatesInPartsTrainAlikeToTheBit) {
  const Program program = AllPrograms()[GetParam()];
  for (const MeshShape& shape : {MeshShape{1, 1, 1},
                                 MeshShape{3, 1, 1},
                                 MeshShape{2, 2, 1},
                                 MeshShape{2, 2, 2}}) {
    SCOPED_TRACE(program.name + ", " + shape.ToString());
    // A clip by a norm that is summed in another order would show.
    const double none = std::numeric_limits<double>::infinity();
    const Training whole = TrainLayout(shape, program, 20, {.max_norm = none});
    const Training parts = TrainLayout(
        shape, program, 20, {.shard_states = true, .max_norm = none});
    EXPECT_EQ(parts.losses, whole.losses);
    EXPECT_EQ(Difference(parts.params, whole.params), 0);
    for (int i = 0; i < 20; ++i) {
      EXPECT_NEAR(parts.norms[i], whole.norms[i], 1e-12 * whole.norms[i]);
    }
  }
}

// Threads and processes: the same bits.
TEST_P(LayoutsTest, SharedMemoryGivesTheBitsOfThreads) {
  const Program program = AllPrograms()[GetParam()];
  for (const MeshShape& shape : {MeshShape{2, 2, 1}, MeshShape{1, 2, 2}}) {
    const Training threads = TrainLayout(shape, program, 10);
    const Status status =
        ForkWorld::Run(shape.ranks(), [&](Communicator& comm) -> Status {
          GYRE_ASSIGN_OR_RETURN(const Training mine,
                                TrainOn(comm, shape, program, 10));
          const bool same =
              mine.losses == threads.losses && mine.hash == threads.hash;
          return same ? OkStatus() : InternalError("other numbers");
        });
    EXPECT_TRUE(status.ok())
        << program.name << shape.ToString() << Message(status);
  }
}

// Buckets of any size, added while the backward pass runs.
TEST_P(LayoutsTest, BucketsGiveTheBitsOfOnePiece) {
  const Program program = AllPrograms()[GetParam()];
  for (const MeshShape& shape : {MeshShape{2, 1, 1}, MeshShape{3, 1, 1}}) {
    const Training whole = TrainLayout(shape, program, 20);
    for (const std::size_t bytes : {1, 300, 100000}) {
      SCOPED_TRACE(Cat(program.name, ", ", shape.ToString(), ", ", bytes));
      const Training buckets =
          TrainLayout(shape, program, 20, {.bucket_bytes = bytes});
      EXPECT_EQ(buckets.losses, whole.losses);
      EXPECT_EQ(buckets.norms, whole.norms);
      EXPECT_EQ(buckets.hash, whole.hash);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LayoutsTest, testing::Range(0, 6));

}  // namespace
}  // namespace gyre::internal::inline tests

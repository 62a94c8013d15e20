#include "tests/train/layouts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fork_world.h"

namespace gyre {
namespace {

constexpr int kSteps = 50;

const std::vector<MeshShape>& Shapes() {
  static const std::vector<MeshShape> shapes = {{2, 1, 1},
                                                {1, 2, 1},
                                                {1, 1, 2},
                                                {4, 1, 1},
                                                {2, 2, 1},
                                                {2, 1, 2},
                                                {1, 2, 2},
                                                {1, 4, 1},
                                                {6, 1, 1},
                                                {3, 2, 1},
                                                {8, 1, 1},
                                                {2, 2, 2}};
  return shapes;
}

// The largest difference of a gradient, by the size of its tensor's largest
// number.
double GradientError(const Training& a, const Training& b) {
  EXPECT_EQ(a.gradient.size(), b.gradient.size());
  double largest = 0, error = 0;
  for (const auto& [name, x] : a.gradient) {
    const Tensor& y = b.gradient.at(name);
    EXPECT_EQ(x.shape(), y.shape()) << name;
    for (std::size_t i = 0; i < x.data<float>().size(); ++i) {
      largest = std::max(largest, std::abs(double{x.data<float>()[i]}));
      error = std::max(
          error,
          std::abs(double{x.data<float>()[i]} - double{y.data<float>()[i]}));
    }
  }
  return error / largest;
}

class LayoutsTest : public testing::TestWithParam<int> {};

TEST_P(LayoutsTest, EveryMeshTrainsAlike) {
  const Program program = AllPrograms()[GetParam()];
  SCOPED_TRACE(program.name);
  const Training alone = TrainLayout({}, program, kSteps);
  EXPECT_LT(alone.losses.back(), alone.losses.front());
  for (const MeshShape& layout : Shapes()) {
    SCOPED_TRACE(layout.ToString());
    const Training many = TrainLayout(layout, program, kSteps);
    EXPECT_LT(GradientError(alone, many), 1e-5);
    EXPECT_NEAR(many.norms[0], alone.norms[0], 1e-5 * alone.norms[0]);
    for (int i = 0; i < kSteps; ++i) {
      ASSERT_NEAR(many.losses[i], alone.losses[i], 1e-4 * alone.losses[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LayoutsTest, testing::Range(0, 5));

}  // namespace
}  // namespace gyre

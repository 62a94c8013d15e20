#include "gyre/autodiff/ops/resize.h"

#include <limits>

#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

std::vector<double> Resized(const Tensor& x,
                            std::int64_t h,
                            std::int64_t w,
                            ResizeMode mode) {
  const auto out = Evaluate(
      [&](Tape&, Vars v) { return std::vector<Var>{resize(v[0], h, w, mode)}; },
      {x});
  EXPECT_TRUE(out.ok()) << Message(out.status());
  return table::Doubles<float>((*out)[0]);
}

TEST(Resize, GradientsMatchFiniteDifferences) {
  std::vector<table::Case> cases;
  for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kBilinear}) {
    for (const auto& [h, w] :
         {std::pair(6, 8), std::pair(2, 3), std::pair(5, 1), std::pair(1, 7)}) {
      const std::int64_t height = h, width = w;
      cases.push_back(
          {Cat("resize ", Name(mode), " ", h, "x", w),
           {TableNumbers({2, 3, 4}, -2, 2, 1)},
           [=](Vars v) { return resize(v[0], height, width, mode); }});
    }
  }
  table::Check(cases);
  table::CheckTwice(cases);
}

// The numbers of PyTorch's interpolate(align_corners=False).
TEST(Resize, AlignsCells) {
  const Tensor x = Tensor::Of<float>({1, 3}, {1, 2, 4});
  using testing::ElementsAre;
  EXPECT_THAT(Resized(x, 1, 6, ResizeMode::kBilinear),
              ElementsAre(1, 1.25, 1.75, 2.5, 3.5, 4));
  EXPECT_THAT(Resized(x, 1, 6, ResizeMode::kNearest),
              ElementsAre(1, 1, 2, 2, 4, 4));
  EXPECT_THAT(Resized(x, 1, 1, ResizeMode::kNearest), ElementsAre(2));
  EXPECT_THAT(Resized(x, 1, 2, ResizeMode::kBilinear), ElementsAre(1.25, 3.5));
}

TEST(Resize, AWeightOfZeroDoesNotMultiply) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      Resized(Tensor::Of<float>({1, 2}, {1, inf}), 1, 4, ResizeMode::kNearest),
      testing::ElementsAre(1, 1, inf, inf));
  EXPECT_EQ(
      Resized(
          Tensor::Of<float>({2, 1}, {1, inf}), 4, 1, ResizeMode::kBilinear)[0],
      1);
}

TEST(Resize, ErrorsSayWhatWasExpected) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{resize(v[0], 0, 3)};
  };
  EXPECT_THAT(TraceError(f, {Tensor::Zeros({2, 3})}),
              testing::HasSubstr("resize: expected x (..., h, w) and sizes"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

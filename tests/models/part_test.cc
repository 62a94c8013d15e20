#include "gyre/models/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Part, IsARankSShareOfOneDimension) {
  std::vector<float> whole(8);  // (2, 4)
  std::iota(whole.begin(), whole.end(), 0.0f);
  std::vector<float> part(4);
  TakePart(whole, {2, 4}, 0, 1, 2, part);
  EXPECT_THAT(part, ElementsAre(4, 5, 6, 7));
  TakePart(whole, {2, 4}, 1, 1, 2, part);
  EXPECT_THAT(part, ElementsAre(2, 3, 6, 7));
}

TEST(Part, JoinedPartsAreTheWhole) {
  const Shape shape({4, 6, 2});
  std::vector<float> whole(shape.elements());
  std::iota(whole.begin(), whole.end(), 0.0f);
  for (int dim = 0; dim < 3; ++dim) {
    const std::int64_t half = shape.elements() / 2;
    std::vector<float> parts(shape.elements());
    for (int i = 0; i < 2; ++i) {
      TakePart(
          whole, shape, dim, i, 2, std::span(parts).subspan(i * half, half));
    }
    std::vector<float> joined(shape.elements());
    JoinParts(parts, shape, dim, 2, joined);
    EXPECT_EQ(joined, whole) << dim;
  }
}

TEST(Part, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(PartShape({6, 4}, 1, 2)->ToString(), "(6, 2)");
  EXPECT_THAT(Message(PartShape({6, 4}, 0, 4).status()),
              HasSubstr("dimension 0 of (6, 4) cannot be cut into 4 equal"));
  EXPECT_THAT(Message(PartShape({6, 4}, 2, 2).status()),
              HasSubstr("has no dimension 2"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

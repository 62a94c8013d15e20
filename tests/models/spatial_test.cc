#include "gyre/models/spatial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/mesh_trace.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// That strips give what whole fields give is tests/train/layouts_test.cc.

std::string ConvError(int ranks, const Shape& x, const Strip& strip) {
  return MeshTraceError(ranks, x, [&](Params& p, Var v) {
    return strip_conv(p, "c", v, 2, strip);
  });
}

TEST(Spatial, RowsAreSharedWithTheRestAtTheEnd) {
  EXPECT_EQ(StripRows(33, 2), 17);
  EXPECT_EQ(StripRows(33, 4), 9);
  EXPECT_EQ(StripRows(36, 4), 9);
}

TEST(Spatial, SaysWhatDoesNotFit) {
  const Strip circle{.axis = "model", .whole = 9, .edge = HaloEdge::kCircular};
  EXPECT_THAT(ConvError(2, {1, 2, 4, 5}, circle),
              HasSubstr("close to a circle do not divide over 2 ranks"));
  EXPECT_THAT(ConvError(2, {1, 2, 4, 4}, {.axis = "model", .whole = 9}),
              HasSubstr("of 9 rows each of 2 ranks has 5; got (1, 2, 4, 4)"));
  EXPECT_THAT(ConvError(2, {1, 2, 4}, {.axis = "model"}),
              HasSubstr("expected x (batch, channel, lat, lon)"));
  EXPECT_THAT(ConvError(2, {1, 2, 4, 4}, {.axis = "lon"}),
              HasSubstr("no axis \"lon\"; it has model=2"));
  EXPECT_EQ(ConvError(2, {1, 2, 4, 5}, {.axis = "model", .whole = 9}), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

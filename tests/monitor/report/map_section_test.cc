#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/status.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string SectionOf(const std::string& maps) {
  RunRecords records;
  records.maps = *Json::Parse(Cat("{\"maps\": ", maps, "}"));
  return MapSection({records, {}});
}

TEST(MapSection, DrawsNorthUpOnOneScale) {
  const std::string html = SectionOf(
      R"([{"title": "RMSE <of> now", "unit": "Pa", "lat": [20, 30],
           "lon": [340, 350], "values": [0, 50, 100, null]},
          {"title": "RMSE later", "unit": "Pa", "lat": [20, 30],
           "lon": [340, 350], "values": [50, 50, 50, 50]}])");
  EXPECT_THAT(html, HasSubstr("RMSE &lt;of&gt; now"));
  EXPECT_THAT(html, HasSubstr("20N to 30N, 20W to 10W"));
  // The northern row first; the missing cell is not drawn.
  EXPECT_THAT(html,
              HasSubstr("<rect class=\"h12\" x=\"0\" y=\"0\" width=\"1\" "
                        "height=\"1\"/><rect class=\"h6\" x=\"0\" y=\"1\""));
  // 50 of 100 on the second map, too: one scale for both.
  EXPECT_THAT(html,
              HasSubstr("<rect class=\"h9\" x=\"0\" y=\"0\" width=\"2\""));
  EXPECT_THAT(html, Not(HasSubstr("h3")));
}

TEST(MapSection, BothSignsAreAboutZero) {
  const std::string html =
      SectionOf(R"([{"title": "bias", "unit": "Pa", "lat": [20],
                     "lon": [0, 10, 20], "values": [-4, 0, "NaN"]}])");
  EXPECT_THAT(html, HasSubstr("-4 <span class=\"ramp\"></span> 4 Pa"));
  EXPECT_THAT(html, HasSubstr("class=\"h0\""));
  EXPECT_THAT(html, HasSubstr("class=\"hx\""));
}

TEST(MapSection, LeavesOutWhatIsNoMap) {
  EXPECT_EQ(SectionOf("[]"), "");
  EXPECT_EQ(SectionOf("7"), "");
  EXPECT_EQ(SectionOf(R"([{"title": "x", "lat": [1], "lon": [1, 2],
                           "values": [1]}, 5])"),
            "");
  RunRecords none;
  EXPECT_EQ(MapSection({none, {}}), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/monitor/report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/monitor/report/axis.h"
#include "gyre/monitor/report/heat_map.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Axis, TicksAreRoundNumbersThatCoverTheData) {
  const Axis axis = Axis::Linear(0.13, 0.97);
  EXPECT_THAT(axis.ticks(),
              testing::ElementsAre(0,
                                   testing::DoubleEq(0.2),
                                   testing::DoubleEq(0.4),
                                   testing::DoubleNear(0.6, 1e-12),
                                   testing::DoubleEq(0.8),
                                   testing::DoubleEq(1)));
  EXPECT_NEAR(axis.Place(0.5), 0.5, 1e-12);
  EXPECT_EQ(axis.Place(7), 1);
}

TEST(Axis, AConstantAndANegativeRangeHaveALength) {
  EXPECT_GE(Axis::Linear(0, 0).ticks().size(), 2u);
  EXPECT_GE(Axis::Linear(-3, -3).ticks().size(), 2u);
  EXPECT_NEAR(Axis::Linear(-3, -1).Place(-2), 0.5, 0.01);
}

TEST(Axis, ALogarithmicOneHasDecades) {
  const Axis axis = Axis::Log(0.002, 40);
  EXPECT_EQ(axis.ticks().size(), 6u);
  EXPECT_EQ(axis.Place(0), 0);
  EXPECT_NEAR(axis.Place(0.1), 0.4, 1e-12);
}

Chart OneLine(std::vector<double> y) {
  Chart chart;
  chart.title = "loss";
  ChartLine line{"loss", "c1", {}, std::move(y)};
  for (std::size_t i = 0; i < line.y.size(); ++i) line.x.push_back(i);
  chart.lines.push_back(line);
  return chart;
}

TEST(Chart, OneSpikeAmongManyStepsIsDrawn) {
  std::vector<double> y(100'000, 1.0);
  y[50'123] = 9;
  const std::string svg = Render(OneLine(y));
  // 9 of 0 to 10, or of 1 to 9, is near the top.
  EXPECT_THAT(svg, HasSubstr("L501.2 "));
  EXPECT_LT(svg.size(), 80'000u);
}

TEST(Chart, AGapWhereTheNumberIsNotFinite) {
  const std::string svg = Render(OneLine({1, 2, kNan, 2, 1}));
  EXPECT_THAT(svg, HasSubstr("<path class=\"bad\" d=\"M500.0 2v9\"/>"));
  EXPECT_THAT(svg, HasSubstr("M750.0"));
}

TEST(Chart, NothingToDrawIsNothing) {
  EXPECT_EQ(Render(OneLine({})), "");
  EXPECT_EQ(Render(OneLine({kNan, kNan})), "");
  EXPECT_NE(Render(OneLine({1})), "");
}

TEST(Chart, ANegativeNumberMakesALogarithmicAxisLinear) {
  Chart chart = OneLine({-1, 1});
  chart.log_y = true;
  EXPECT_THAT(Render(chart), Not(HasSubstr("log scale")));
}

TEST(HeatMap, ARowIsMeasuredByItsOwnMedian) {
  HeatMap map;
  map.title = "norms";
  map.rows.push_back({"a", {0, 1, 2}, {1, 1, 100}});
  map.rows.push_back({"b", {0, 1, 2}, {1e6, 1e6, kNan}});
  const std::string html = Render(map);
  EXPECT_THAT(html, HasSubstr("class=\"h12\" x=\"2\" width=\"1\""));
  EXPECT_THAT(html, HasSubstr("class=\"hx\" x=\"2\" width=\"1\""));
  EXPECT_EQ(Render(HeatMap()), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests

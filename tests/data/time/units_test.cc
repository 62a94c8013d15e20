#include "gyre/data/time/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(ConvertUnits, FactorsAndOffsets) {
  struct Case {
    const char* from;
    const char* to;
    double given;
    double wanted;
  };
  const Case cases[] = {{"knots", "m/s", 10, 5.144444444444444},
                        {"kt", "m s-1", 10, 5.144444444444444},
                        {"km/h", "m/s", 36, 10},
                        {"hPa", "Pa", 1013.25, 101325},
                        {"degC", "K", 20, 293.15},
                        {"degF", "K", 32, 273.15},
                        {"g/kg", "kg kg**-1", 5, 0.005},
                        {"dam", "m", 552, 5520},
                        {"percent", "1", 40, 0.4},
                        {"days", "s", 2, 172800}};
  for (const Case& c : cases) {
    const auto conversion = ConvertUnits(c.from, c.to);
    ASSERT_TRUE(conversion.ok()) << conversion.status();
    EXPECT_NEAR((*conversion)(c.given), c.wanted, 1e-9 * c.wanted) << c.from;
  }
}

TEST(ConvertUnits, SpellingsOfOneUnitChangeNoBit) {
  for (const char* same :
       {"m/s", "m s-1", "m s**-1", " meters/second ", "m.s-1"}) {
    EXPECT_TRUE(ConvertUnits(same, "m/s")->identity()) << same;
  }
  EXPECT_TRUE(ConvertUnits("kelvin", "K")->identity());
}

TEST(ConvertUnits, ErrorsSayWhatWasMeant) {
  EXPECT_THAT(Message(ConvertUnits("mb", "Pa").status()), HasSubstr("hPa"));
  EXPECT_THAT(Message(ConvertUnits("C", "K").status()), HasSubstr("degC"));
  EXPECT_THAT(Message(ConvertUnits("mph", "m/s").status()),
              HasSubstr("mile/hour"));
  EXPECT_THAT(Message(ConvertUnits("gpm", "m").status()), HasSubstr("write m"));
  EXPECT_THAT(Message(ConvertUnits("m2 s-2", "m").status()),
              HasSubstr("9.80665"));
  EXPECT_THAT(Message(ConvertUnits("m/s", "K").status()),
              HasSubstr("different things"));
  EXPECT_THAT(Message(ConvertUnits("smoots", "m").status()),
              HasSubstr("no unit"));
  EXPECT_FALSE(ConvertUnits("lg(re 1 mW)", "W").ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/data/cf/inspect_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/cf_file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string WordsOf(const CfFile& file) {
  TempDir dir;
  WriteCf(dir / "x.nc", file, {});
  const StatusOr<Json> found = InspectFile(dir / "x.nc");
  return found.ok() ? FileInWords(*found) : Message(found.status());
}

TEST(InspectFile, SaysWhatIsThere) {
  EXPECT_THAT(WordsOf({}),
              AllOf(HasSubstr("x.nc: NetCDF-4"),
                    HasSubstr("1996-01-05T00Z to 1996-01-05T18Z, every 6 h, "
                              "standard calendar"),
                    HasSubstr("20 to 40, every 10 degrees_north"),
                    HasSubstr("(time, lat, lon)"),
                    HasSubstr("250 to 297"),
                    HasSubstr("2.1% missing")));
}

TEST(InspectFile, SaysWhatGyreWouldDo) {
  EXPECT_THAT(WordsOf({.type = NC_SHORT,
                       .fill = -1,
                       .numbers = {{"scale_factor", {NC_DOUBLE, {0.5}}}}}),
              HasSubstr("Gyre: packed as i16, x 0.5 + 0"));
  EXPECT_THAT(WordsOf({.lon = {220, 230, 240, 250}}),
              HasSubstr("Gyre: longitudes 220 to 250 called -140 to -110"));
  EXPECT_THAT(WordsOf({.units = "warm"}),
              HasSubstr("Gyre: \"warm\" is no unit"));
  EXPECT_THAT(WordsOf({.units = ""}), HasSubstr("Gyre: no attribute units"));
  EXPECT_THAT(WordsOf({.numbers = {{"valid_max", {NC_FLOAT, {260}}}}}),
              HasSubstr("of them outside of the valid range"));
}

TEST(InspectFile, SaysWhatIsRefusedAndGoesOn) {
  EXPECT_THAT(WordsOf({.time_units = "months since 1996-01-05"}),
              AllOf(HasSubstr("no fixed length"),
                    HasSubstr("refused: its axis time, see above"),
                    HasSubstr("250 to 297")));
  EXPECT_THAT(WordsOf({.texts = {{"scale_factor", "1"}}}),
              AllOf(HasSubstr("refused: variable t: the attribute"),
                    Not(HasSubstr("250 to 297"))));
  EXPECT_THAT(Message(InspectFile("/no/such.nc").status()),
              HasSubstr("/no/such.nc"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

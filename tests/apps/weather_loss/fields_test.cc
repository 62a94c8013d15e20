#include "apps/weather_loss/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::ElementsAre;

Fields Numbered() {
  return SmallFields(3, 2, [](std::int64_t t, int c, std::int64_t cell) {
    return static_cast<float>(100 * t + 10 * c + cell);
  });
}

TEST(Fields, ViewsOneField) {
  const Fields fields = Numbered();
  EXPECT_EQ(fields.steps(), 3);
  EXPECT_EQ(fields.cells(), 4);
  EXPECT_THAT(fields.Values(2, kV), ElementsAre(230, 231, 232, 233));
  EXPECT_THAT(fields.Mask(0, kP), ElementsAre(1, 1, 1, 1));
}

TEST(Fields, ListsWhatIsWhollyMissing) {
  Fields fields = Numbered();
  EXPECT_TRUE(MissingFields(fields).empty());
  Remove(&fields, 0, kP, 0);  // one cell is no field
  RemoveField(&fields, 1, kV500);
  EXPECT_TRUE(fields.Present(0, kP));
  EXPECT_FALSE(fields.Present(1, kV500));
  EXPECT_THAT(MissingFields(fields), ElementsAre("v500 at step 1"));
}

TEST(DataHash, SeesValuesAndMask) {
  const std::uint64_t hash = DataHash(Numbered());
  EXPECT_EQ(hash, DataHash(Numbered()));
  Fields other = Numbered();
  other.values.data<float>()[5] += 1;
  EXPECT_NE(hash, DataHash(other));
  other = Numbered();
  other.mask.data<std::uint8_t>()[5] = 0;
  EXPECT_NE(hash, DataHash(other));
}

}  // namespace
}  // namespace gyre::weather

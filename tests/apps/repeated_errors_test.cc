#include "apps/gyre/launch/repeated_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RepeatedErrorsTest, TheFirstIsNewAndTheOthersAreListed) {
  RepeatedErrors errors;
  EXPECT_FALSE(errors.IsRepeat({3}, "error: rank 3: rank 1 is lost"));
  EXPECT_TRUE(errors.IsRepeat({2}, "error: rank 2: rank 1 is lost"));
  EXPECT_FALSE(errors.IsRepeat({1}, "error: rank 1: the file is damaged"));
  EXPECT_TRUE(errors.IsRepeat({0}, "error: rank 0: rank 1 is lost"));
  EXPECT_THAT(errors.Summary(),
              ElementsAre("ranks 0 and 2 gave the same error as rank 3: rank "
                          "1 is lost"));
  EXPECT_THAT(errors.Summary(), IsEmpty());
}

TEST(RepeatedErrorsTest, OtherLinesAreNotErrors) {
  RepeatedErrors errors;
  for (const int rank : {0, 1}) {
    EXPECT_FALSE(errors.IsRepeat({rank}, "step 1/20"));
    EXPECT_FALSE(errors.IsRepeat({rank}, "error: rank 7: of somebody else"));
    EXPECT_FALSE(errors.IsRepeat({rank}, "warning: rank 0: x"));
  }
  EXPECT_THAT(errors.Summary(), IsEmpty());
}

TEST(RepeatedErrorsTest, RanksOfOneProcessAreToldApart) {
  RepeatedErrors errors;
  EXPECT_FALSE(errors.IsRepeat({4, 4}, "error: rank 5: rank 1 is lost"));
  EXPECT_TRUE(errors.IsRepeat({4, 4}, "error: rank 7: rank 1 is lost"));
  EXPECT_TRUE(errors.IsRepeat({0, 4}, "error: rank 0: rank 1 is lost"));
  EXPECT_FALSE(errors.IsRepeat({0, 4}, "error: rank 4: rank 1 is lost"));
  EXPECT_FALSE(errors.IsRepeat({0, 4}, "error: rank x: rank 1 is lost"));
  EXPECT_FALSE(errors.IsRepeat({0, 4}, "error: rank 2 is strange"));
  EXPECT_THAT(errors.Summary(),
              ElementsAre("ranks 0 and 7 gave the same error as rank 5: rank "
                          "1 is lost"));
}

TEST(RepeatedErrorsTest, ARankMayRepeatItself) {
  RepeatedErrors errors;
  EXPECT_FALSE(errors.IsRepeat({0}, "error: rank 0: again"));
  EXPECT_FALSE(errors.IsRepeat({0}, "error: rank 0: again"));
  EXPECT_THAT(errors.Summary(), IsEmpty());
}

TEST(RepeatedErrorsTest, LongOnesAreCut) {
  RepeatedErrors errors;
  const std::string text(100, 'x');
  errors.IsRepeat({0}, "error: rank 0: " + text);
  EXPECT_TRUE(errors.IsRepeat({1}, "error: rank 1: " + text));
  EXPECT_THAT(errors.Summary(),
              ElementsAre("rank 1 gave the same error as rank 0: " +
                          std::string(60, 'x') + "..."));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/core/early_end.h"

#include <gtest/gtest.h>

#include "gyre/core/exit_code.h"

namespace gyre::internal::inline tests {
namespace {

TEST(EarlyEnd, IsNoErrorOfTheProgram) {
  const Status end = EarlyEnd("the step was replayed");
  EXPECT_FALSE(end.ok());  // so that it ends the program
  EXPECT_TRUE(IsEarlyEnd(end));
  EXPECT_EQ(ExitCodeOf(end), kExitDone);
  EXPECT_EQ(Message(end), "the step was replayed");
}

TEST(EarlyEnd, OtherStatusesAreNone) {
  EXPECT_FALSE(IsEarlyEnd(OkStatus()));
  EXPECT_FALSE(IsEarlyEnd(ConfigError("x")));
  EXPECT_FALSE(IsEarlyEnd(StoppedBySignal(15, "x")));
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/monitor/error_event.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TEST(ErrorEvent, NamesTheKindAndKeepsTheMessage) {
  const Event event = ErrorEvent(DataError("no file ", "x"), 7);
  EXPECT_EQ(event.step, 7);
  EXPECT_EQ(event.kind, "error");
  EXPECT_EQ(*event.fields.GetString("error"), "data");
  EXPECT_EQ(*event.fields.GetString("message"), "no file x");
}

TEST(ErrorEvent, AStatusOfElsewhereIsInternal) {
  const Event event = ErrorEvent(absl::AbortedError("x"), 0);
  EXPECT_EQ(*event.fields.GetString("error"), "internal");
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/core/io/file_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace gyre::internal::inline tests {
namespace {

TEST(SystemError, SaysWhatWhereWhyAndWhatToDo) {
  const Status status =
      SystemError(ErrorKind::kCheckpoint, "write", "/x/y", ENOSPC);
  EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint);
  EXPECT_EQ(Message(status),
            "cannot write /x/y: No space left on device: free some space, or "
            "choose another path");
}

TEST(SystemError, ShowsAnEmptyPath) {
  EXPECT_EQ(Message(SystemError(ErrorKind::kData, "open", "", ENOENT)),
            "cannot open \"\": No such file or directory: check the path");
}

TEST(SystemError, HasAdviceForAnyNumber) {
  for (int number = 1; number < 140; ++number) {
    const std::string text =
        Message(SystemError(ErrorKind::kData, "open", "/p", number));
    EXPECT_GT(text.size(), std::string("cannot open /p: x: ").size());
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

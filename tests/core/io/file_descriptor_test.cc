#include "gyre/core/io/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace gyre::internal::inline tests {
namespace {

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(FileDescriptor, ClosesOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  FileDescriptor read_end(ends[0]);
  {
    FileDescriptor write_end(ends[1]);
    FileDescriptor moved = std::move(write_end);
    EXPECT_FALSE(write_end.valid());
    EXPECT_TRUE(IsOpen(ends[1]));
  }
  EXPECT_FALSE(IsOpen(ends[1]));
  EXPECT_EQ(read_end.Close(), 0);
  EXPECT_EQ(read_end.Close(), 0);
  EXPECT_FALSE(IsOpen(ends[0]));
}

TEST(WriteAll, ReportsTheSystemsError) {
  const FileDescriptor read_only(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(WriteAll(read_only.get(), "x"), EBADF);
  EXPECT_EQ(WriteAll(read_only.get(), ""), 0);
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(WriteAll(full.get(), "x"), ENOSPC);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/collectives/shm/memfd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace gyre::internal::inline tests {
namespace {

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(MemfdTest, AHandleClosesItsFileOnce) {
  auto made = CreateMemfd("test");
  ASSERT_TRUE(made.ok());
  FileHandle first = *std::move(made);
  const int fd = first.get();
  FileHandle second = std::move(first);
  EXPECT_EQ(second.get(), fd);
  EXPECT_TRUE(IsOpen(fd));
  second = FileHandle();
  EXPECT_FALSE(IsOpen(fd));
}

TEST(MemfdTest, ReleaseLeavesTheFileOpen) {
  auto made = CreateMemfd("test");
  ASSERT_TRUE(made.ok());
  const int fd = made->Release();
  EXPECT_EQ(made->get(), -1);
  EXPECT_TRUE(IsOpen(fd));
  ::close(fd);
}

TEST(MemfdTest, ReservedBytesExistAndAreZero) {
  const auto file = CreateMemfd("test");
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(ReserveBytes(file->get(), 4096, 8192), OkStatus());
  struct stat info;
  ASSERT_EQ(::fstat(file->get(), &info), 0);
  EXPECT_EQ(info.st_size, 4096 + 8192);
  const auto mapping = MapShared(file->get(), 4096, 8192);
  ASSERT_TRUE(mapping.ok());
  EXPECT_EQ(mapping->bytes(), 8192u);
  EXPECT_EQ(mapping->data()[8191], std::byte{0});
}

TEST(MemfdTest, TwoMappingsShareTheirBytes) {
  const auto file = CreateMemfd("test");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(ReserveBytes(file->get(), 0, 4096).ok());
  auto a = MapShared(file->get(), 0, 4096);
  const auto b = MapShared(file->get(), 0, 4096);
  ASSERT_TRUE(a.ok() && b.ok());
  a->data()[7] = std::byte{42};
  EXPECT_EQ(b->data()[7], std::byte{42});
}

TEST(MemfdTest, TooMuchMemoryIsAnErrorWithBothNumbers) {
  const auto file = CreateMemfd("test");
  ASSERT_TRUE(file.ok());
  const std::size_t huge = std::size_t{1} << 50;
  const Status status = ReserveBytes(file->get(), 0, huge);
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_NE(Message(status).find(Cat(huge)), std::string::npos);
  EXPECT_NE(Message(status).find("available"), std::string::npos);
}

TEST(MemfdTest, AClosedFileCannotBeMappedOrGrown) {
  EXPECT_FALSE(MapShared(-1, 0, 4096).ok());
  EXPECT_FALSE(ReserveBytes(-1, 0, 4096).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests

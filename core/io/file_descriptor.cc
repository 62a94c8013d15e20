#include "gyre/core/io/file_descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace gyre::internal::inline core {

int FileDescriptor::Close() {
  if (fd_ < 0) return 0;
  const int result = ::close(std::exchange(fd_, -1));
  // After EINTR the descriptor is closed all the same (close(2), Linux).
  return result == 0 || errno == EINTR ? 0 : errno;
}

int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return EIO;  // never for a regular file
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace gyre::internal::inline core

// An open file of the system, closed when the owner goes. Internal to io.

#ifndef GYRE_CORE_IO_FILE_DESCRIPTOR_H_
#define GYRE_CORE_IO_FILE_DESCRIPTOR_H_

#include <string_view>
#include <utility>

namespace gyre::internal::inline core {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

  // 0, or the system's error number: a full disk may show only here.
  int Close();

 private:
  int fd_ = -1;
};

// All of `bytes`, however many calls the system makes of it. 0 or an error
// number. The first call asks for the whole, so that with O_APPEND a short
// record stays in one piece.
int WriteAll(int fd, std::string_view bytes);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_FILE_DESCRIPTOR_H_

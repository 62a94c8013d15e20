#include "gyre/collectives/shm/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "gyre/collectives/host_limits.h"

namespace gyre::internal::inline collectives {
FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.Release();
  }
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

int FileHandle::Release() { return std::exchange(fd_, -1); }

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

StatusOr<FileHandle> CreateMemfd(const char* name) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) {
    return InternalError("memfd_create failed: ", std::strerror(errno));
  }
  return FileHandle(fd);
}

Status ReserveBytes(int fd, std::uint64_t offset, std::size_t bytes) {
  GYRE_RETURN_IF_ERROR(CheckMemory(bytes));
  int result = 0;
  do {
    result = ::fallocate(
        fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    return ConfigError(bytes,
                       " bytes of shared memory are needed, but the "
                       "system refused them: ",
                       std::strerror(errno));
  }
  return OkStatus();
}

StatusOr<Mapping> MapShared(int fd, std::uint64_t offset, std::size_t bytes) {
  void* const data = ::mmap(nullptr,
                            bytes,
                            PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_POPULATE,
                            fd,
                            static_cast<off_t>(offset));
  if (data == MAP_FAILED) {
    return ConfigError("cannot map ",
                       bytes,
                       " bytes of shared memory: ",
                       std::strerror(errno),
                       "; is the address space of the "
                       "process limited (ulimit -v)?");
  }
  return Mapping(static_cast<std::byte*>(data), bytes);
}

}  // namespace gyre::internal::inline collectives

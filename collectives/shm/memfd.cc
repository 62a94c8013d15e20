#include "collectives/shm/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace gyre {
namespace {

// The number that stands alone in a file, if it does.
bool ReadNumber(const std::string& path, std::uint64_t& number) {
  std::ifstream file(path);
  return static_cast<bool>(file >> number);
}

// What is left below the limit of a cgroup, version 2.
std::uint64_t CgroupRest() {
  std::uint64_t rest = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
    if (ReadNumber(folder + "/memory.max", limit) &&
        ReadNumber(folder + "/memory.current", used)) {
      rest = std::min(rest, limit > used ? limit - used : 0);
    }
  }
  return rest;
}

}  // namespace

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

std::uint64_t AvailableMemory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) {
      available = std::stoull(line.substr(13)) * 1024;
    }
  }
  return std::min(available, CgroupRest());
}

Status ReserveBytes(int fd, std::uint64_t offset, std::size_t bytes) {
  const std::uint64_t available = AvailableMemory();
  if (bytes > available) {
    return ConfigError(bytes, " bytes of shared memory are needed, ",
                       available, " are available; use fewer ranks, a "
                       "smaller model, or a larger machine");
  }
  int result = 0;
  do {
    result = ::fallocate(fd, 0, static_cast<off_t>(offset),
                         static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    return ConfigError(bytes, " bytes of shared memory are needed, but the "
                       "system refused them: ", std::strerror(errno), " (",
                       available, " bytes looked available)");
  }
  return OkStatus();
}

StatusOr<Mapping> MapShared(int fd, std::uint64_t offset, std::size_t bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_POPULATE, fd,
                            static_cast<off_t>(offset));
  if (data == MAP_FAILED) {
    return ConfigError("cannot map ", bytes, " bytes of shared memory: ",
                       std::strerror(errno), "; is the address space of the "
                       "process limited (ulimit -v)?");
  }
  return Mapping(static_cast<std::byte*>(data), bytes);
}

}  // namespace gyre

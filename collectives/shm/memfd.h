// A nameless file in memory that several processes map: it goes when the last
// of them does, however they end, and leaves nothing in /dev/shm.

#ifndef GYRE_COLLECTIVES_SHM_MEMFD_H_
#define GYRE_COLLECTIVES_SHM_MEMFD_H_

#include <cstddef>
#include <cstdint>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// An open file, closed at the end.
class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(other.Release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  int get() const { return fd_; }
  int Release();

 private:
  int fd_;
};

// A mapping of a part of a file, unmapped at the end.
class Mapping {
 public:
  Mapping() = default;
  Mapping(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Empty, and closed on exec.
StatusOr<FileHandle> CreateMemfd(const char* name);

// Makes sure that bytes [offset, offset + bytes) exist, before anyone maps
// them: a machine without that much memory is an error here, with both
// numbers, and not a SIGBUS at some later store.
Status ReserveBytes(int fd, std::uint64_t offset, std::size_t bytes);

// Shared and writable. `offset` is a multiple of 4096.
StatusOr<Mapping> MapShared(int fd, std::uint64_t offset, std::size_t bytes);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHM_MEMFD_H_

#include "gyre/core/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "gyre/core/clock.h"
#include "gyre/core/io/file_descriptor.h"
#include "gyre/core/io/file_error.h"

namespace gyre::internal::inline core {
namespace {

using internal::FileDescriptor;
using internal::SystemError;
using internal::WriteAll;

constexpr int kNameAttempts = 100;

// A name beside `path` that no other process or thread is likely to pick;
// who opens it with O_EXCL makes sure.
std::string TemporaryName(const std::string& path, int attempt) {
  return Cat(path, ".tmp-", ::getpid(), "-", NowNanos(), "-", attempt);
}

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A rename is safe only when the directory has reached the disk, too.
int SyncDirectory(const std::string& path) {
  FileDescriptor dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.valid()) return errno;
  // Some file systems cannot sync a directory and say EINVAL.
  if (::fsync(dir.get()) != 0 && errno != EINVAL) return errno;
  return dir.Close();
}

int WriteAndSync(FileDescriptor& file,
                 std::span<const std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (const int error = WriteAll(file.get(), part); error != 0) return error;
  }
  if (::fsync(file.get()) != 0) return errno;
  return file.Close();
}

int RenameOver(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return errno;
  return SyncDirectory(DirectoryOf(to));
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, ErrorKind kind) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError(kind, "open", path, errno);
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    return SystemError(kind, "inspect", path, errno);
  }
  if (S_ISDIR(info.st_mode)) return SystemError(kind, "read", path, EISDIR);

  std::string bytes;
  // One byte more than the size shows the end without another round; files
  // of /proc say 0 and are read piece by piece.
  std::size_t room = std::max<std::size_t>(info.st_size + 1, 4096);
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(filled + room);
    const ssize_t got =
        ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(kind, "read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Status WriteFileAtomically(const std::string& path,
                           std::string_view bytes,
                           ErrorKind kind) {
  return WriteFileAtomically(path, std::span(&bytes, 1), kind);
}

Status WriteFileAtomically(const std::string& path,
                           std::span<const std::string_view> parts,
                           ErrorKind kind) {
  FileDescriptor file;
  std::string beside;
  for (int attempt = 0; attempt < kNameAttempts && !file.valid(); ++attempt) {
    beside = TemporaryName(path, attempt);
    file = FileDescriptor(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.valid() && errno != EEXIST) break;
  }
  if (!file.valid()) return SystemError(kind, "write", path, errno);

  int error = WriteAndSync(file, parts);
  if (error == 0) error = RenameOver(beside, path);
  if (error == 0) return OkStatus();
  ::unlink(beside.c_str());  // gone already if only the last sync failed
  return SystemError(kind, "write", path, error);
}

bool FileExists(const std::string& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool DirectoryExists(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Status CreateDirectories(const std::string& path, ErrorKind kind) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemError(kind, "create folder", path, error.value());
  // create_directories is content with a file of that name.
  if (!DirectoryExists(path)) {
    return SystemError(
        kind, "create folder", path, FileExists(path) ? EEXIST : ENOENT);
  }
  return OkStatus();
}

StatusOr<std::vector<std::string>> ListDirectory(const std::string& path,
                                                 ErrorKind kind) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  std::vector<std::string> names;
  while (!error && entry != std::filesystem::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error) return SystemError(kind, "list folder", path, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Status ReplaceSymlink(const std::string& link,
                      const std::string& target,
                      ErrorKind kind) {
  std::string beside;
  int error = EEXIST;
  for (int attempt = 0; attempt < kNameAttempts && error == EEXIST; ++attempt) {
    beside = TemporaryName(link, attempt);
    error = ::symlink(target.c_str(), beside.c_str()) == 0 ? 0 : errno;
  }
  if (error != 0) return SystemError(kind, "create link", link, error);
  error = RenameOver(beside, link);
  if (error == 0) return OkStatus();
  ::unlink(beside.c_str());
  return SystemError(kind, "replace link", link, error);
}

}  // namespace gyre::internal::inline core

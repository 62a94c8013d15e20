#include "gyre/core/io/file_error.h"

#include <cerrno>
#include <system_error>

#include "gyre/core/io/file.h"

namespace gyre::internal::inline core {
namespace {

absl::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfig:
      return absl::StatusCode::kInvalidArgument;
    case ErrorKind::kData:
    case ErrorKind::kCheckpoint:
      return absl::StatusCode::kDataLoss;
    case ErrorKind::kPeer:
      return absl::StatusCode::kUnavailable;
    case ErrorKind::kMismatch:
      return absl::StatusCode::kAborted;
    case ErrorKind::kGuard:
      return absl::StatusCode::kFailedPrecondition;
    case ErrorKind::kInternal:
      break;
  }
  return absl::StatusCode::kInternal;
}

std::string_view Advice(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "check the path";
    case EACCES:
    case EPERM:
      return "check the permissions, or choose another path";
    case EROFS:
      return "the file system is read-only: choose another path";
    case ENOSPC:
    case EDQUOT:
      return "free some space, or choose another path";
    case ENOTDIR:
      return "a part of the path is a file, not a folder";
    case EEXIST:
      return "a file of that name is in the way";
    case EISDIR:
      return "it is a folder: name a file";
    case ENAMETOOLONG:
      return "choose a shorter path";
    case EMFILE:
    case ENFILE:
      return "too many files are open: raise `ulimit -n`";
    default:
      return "check the disk and the path";
  }
}

}  // namespace

Status ErrorOfKind(ErrorKind kind, std::string_view message) {
  return MakeError(kind, CodeOf(kind), message);
}

Status SystemError(ErrorKind kind,
                   std::string_view action,
                   const std::string& path,
                   int error_number) {
  // Not strerror: it may share one buffer between threads.
  const std::string reason =
      std::error_code(error_number, std::generic_category()).message();
  return ErrorOfKind(kind,
                     Cat("cannot ",
                         action,
                         " ",
                         path.empty() ? "\"\"" : path,
                         ": ",
                         reason,
                         ": ",
                         Advice(error_number)));
}

}  // namespace gyre::internal::inline core

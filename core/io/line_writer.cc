#include "gyre/core/io/line_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "gyre/core/check.h"
#include "gyre/core/io/file_error.h"

namespace gyre::internal::inline core {

using internal::SystemError;

StatusOr<LineWriter> LineWriter::Open(const std::string& path, ErrorKind kind) {
  internal::FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file.valid()) return SystemError(kind, "append to", path, errno);
  LineWriter writer(std::move(file), path, kind);
  GYRE_RETURN_IF_ERROR(writer.CloseHalfLine());
  return writer;
}

Status LineWriter::CloseHalfLine() {
  struct stat info = {};
  if (::fstat(file_.get(), &info) != 0) {
    return SystemError(kind_, "inspect", path_, errno);
  }
  if (info.st_size == 0) return OkStatus();
  char last = '\n';
  if (::pread(file_.get(), &last, 1, info.st_size - 1) < 0) {
    return SystemError(kind_, "read", path_, errno);
  }
  return last == '\n' ? OkStatus() : WriteBlock("\n");
}

Status LineWriter::Write(std::string_view line) {
  GYRE_CHECK(line.find('\n') == std::string_view::npos,
             "a record of ",
             path_,
             " holds a line break");
  return WriteBlock(Cat(line, '\n'));
}

Status LineWriter::WriteBlock(std::string_view lines) {
  const int error = internal::WriteAll(file_.get(), lines);
  if (error == 0) return OkStatus();
  return SystemError(kind_, "append to", path_, error);
}

Status LineWriter::Close() {
  const int error = file_.Close();
  if (error == 0) return OkStatus();
  return SystemError(kind_, "close", path_, error);
}

}  // namespace gyre::internal::inline core

// Appends records to a text file, one line each.
//
//   GYRE_ASSIGN_OR_RETURN(LineWriter log, LineWriter::Open("events.jsonl"));
//   GYRE_RETURN_IF_ERROR(log.Write(R"({"step": 7})"));
//
// A line is one write(2) on a file opened with O_APPEND: several processes
// may append to one file, and their lines do not mix (on a local file
// system). If a crash has left half a line at the end, it is closed first,
// so that it spoils no later record.

#ifndef GYRE_CORE_IO_LINE_WRITER_H_
#define GYRE_CORE_IO_LINE_WRITER_H_

#include <string>
#include <string_view>

#include "gyre/core/io/file_descriptor.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline core {

class LineWriter {
 public:
  // Creates the file if it is missing; its folder must be there.
  static StatusOr<LineWriter> Open(const std::string& path,
                                   ErrorKind kind = ErrorKind::kConfig);

  // `line` without its end; it may hold no line break.
  Status Write(std::string_view line);

  // Several whole lines, each with its end, in one write.
  Status WriteBlock(std::string_view lines);

  Status Close();
  const std::string& path() const { return path_; }

 private:
  LineWriter(internal::FileDescriptor file, std::string path, ErrorKind kind)
      : file_(std::move(file)), path_(std::move(path)), kind_(kind) {}

  Status CloseHalfLine();

  internal::FileDescriptor file_;
  std::string path_;
  ErrorKind kind_;
};

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_LINE_WRITER_H_

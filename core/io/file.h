// Files: read whole, written so that a crash leaves the old or the new.
//
//   GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile("run.json"));
//   GYRE_RETURN_IF_ERROR(WriteFileAtomically("run.json", text));
//
// Every error names the path, the system's reason and what to do. Its kind
// (and so the program's exit code) is the caller's choice: the same missing
// file is a data error for a reader and a config error for a flag.
//
// WARNING 1: WriteFileAtomically replaces a symbolic link, not its target.
// WARNING 2: all of it is for regular files; a pipe never ends.

#ifndef GYRE_CORE_IO_FILE_H_
#define GYRE_CORE_IO_FILE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

// An error of a kind that is known only at run time.
Status ErrorOfKind(ErrorKind kind, std::string_view message);

StatusOr<std::string> ReadFile(const std::string& path,
                               ErrorKind kind = ErrorKind::kData);

// Writes a file beside `path`, flushes it to the disk, renames it to `path`
// and flushes the directory. On an error the old file is untouched and
// nothing is left beside it.
Status WriteFileAtomically(const std::string& path,
                           std::string_view bytes,
                           ErrorKind kind = ErrorKind::kConfig);

// The same for a file that is the concatenation of `parts`.
Status WriteFileAtomically(const std::string& path,
                           std::span<const std::string_view> parts,
                           ErrorKind kind = ErrorKind::kConfig);

bool FileExists(const std::string& path);       // of any type
bool DirectoryExists(const std::string& path);  // links are followed

// `path` and the missing ones above it. Success when it is there already.
Status CreateDirectories(const std::string& path,
                         ErrorKind kind = ErrorKind::kConfig);

// The names in a directory, sorted, without "." and "..".
StatusOr<std::vector<std::string>> ListDirectory(
    const std::string& path, ErrorKind kind = ErrorKind::kData);

// Makes `link` point to `target` (taken as it is written, so relative to the
// link's own folder); readers see the old target or the new one.
Status ReplaceSymlink(const std::string& link,
                      const std::string& target,
                      ErrorKind kind = ErrorKind::kConfig);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_FILE_H_

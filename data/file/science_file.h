// A file of named arrays with attributes, whatever its format: what the rules
// of the CF conventions are applied to.
//
//   GYRE_ASSIGN_OR_RETURN(const auto file, OpenScienceFile("era5.nc"));
//   GYRE_ASSIGN_OR_RETURN(const VariableInfo* t, file->Find("t2m"));
//
// Variables of groups are called "group/name". Errors are data errors that
// name file and variable.

#ifndef GYRE_DATA_FILE_SCIENCE_FILE_H_
#define GYRE_DATA_FILE_SCIENCE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"
#include "gyre/data/file/stored_type.h"

namespace gyre::internal::inline data {

struct FileAttribute {
  std::string name;
  StoredType type = StoredType::kChar;
  std::string text;             // of kChar, and of one string
  std::vector<double> numbers;  // of a type of numbers
  std::vector<std::byte> raw;   // the same in its own type

  bool is_text() const { return !IsNumber(type); }
};

struct VariableInfo {
  std::string name;
  StoredType type = StoredType::kOther;
  std::vector<std::string> dims;  // slowest first
  Shape shape;
  std::vector<FileAttribute> attributes;
  // The value that stands for "never written", in the variable's type; empty
  // where the file has none.
  std::vector<std::byte> default_fill;
  std::string storage;  // "chunks of (1, 33, 36), deflate 4", for people

  const FileAttribute* Find(std::string_view attribute) const;
  // A text attribute; "" if there is none.
  std::string Text(std::string_view attribute) const;
};

class ScienceFile {
 public:
  virtual ~ScienceFile() = default;

  const std::string& path() const { return path_; }
  const std::string& format() const { return format_; }  // "NetCDF 4"
  const std::vector<VariableInfo>& variables() const { return variables_; }
  const std::vector<FileAttribute>& attributes() const { return attributes_; }

  const VariableInfo* FindOrNull(std::string_view name) const;
  // The error names the nearest variable.
  StatusOr<const VariableInfo*> Find(std::string_view name) const;

  // The stored numbers (or characters) of a block, in the machine's byte
  // order; `out` holds the block. Thread-safe.
  virtual Status ReadRaw(const VariableInfo& variable,
                         std::span<const std::size_t> start,
                         std::span<const std::size_t> count,
                         std::byte* out) const = 0;

  // A variable of characters; zero bytes and blanks at its end are cut off.
  StatusOr<std::string> ReadText(std::string_view variable) const;

 protected:
  std::string path_;
  std::string format_;
  std::vector<VariableInfo> variables_;
  std::vector<FileAttribute> attributes_;
};

// Text without blanks and zero bytes at its end.
std::string TrimmedEnd(std::string text);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_FILE_SCIENCE_FILE_H_

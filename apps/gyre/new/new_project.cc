#include "apps/gyre/new/new_project.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "apps/gyre/new/project_files.h"
#include "gyre/core/io/file.h"

namespace gyre::internal::inline apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 64;

// Targets of CMake's generators, and the library's own.
constexpr std::string_view kTakenNames[] = {"all",
                                            "clean",
                                            "edit_cache",
                                            "gyre",
                                            "help",
                                            "install",
                                            "list_install_components",
                                            "package",
                                            "package_source",
                                            "rebuild_cache",
                                            "test"};

bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool IsNameChar(char c) {
  return IsLetter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
         c == '_' || c == '-';
}

// A name like `name` that would do.
std::string AllowedName(std::string name) {
  name.resize(std::min(name.size(), kLongestName));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !IsNameChar(c); }, '_');
  return !name.empty() && IsLetter(name[0]) ? name : "my_project";
}

bool IsTaken(const std::string& name) {
  return std::count(std::begin(kTakenNames), std::end(kTakenNames), name) > 0 ||
         name.starts_with("gyre_");
}

std::string ReplaceAll(std::string text,
                       std::string_view what,
                       std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// The text of a file for a project called `name`.
std::string FillIn(std::string_view text, const std::string& name) {
  std::string macro = name;
  for (char& c : macro) {
    c = c == '-'
            ? '_'
            : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return ReplaceAll(
      ReplaceAll(std::string(text), "MY_PROJECT", macro), "my_project", name);
}

// Whether a project can be written into the folder.
Status CheckPlace(const fs::path& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) {
    const bool empty = fs::is_empty(path, error);
    if (error) {
      return ConfigError("cannot read ", path.string(), ": ", error.message());
    }
    if (empty) return OkStatus();
    return ConfigError("expected a new or empty folder, but ",
                       path.string(),
                       " has files in it: choose another name");
  }
  if (fs::exists(there)) {
    return ConfigError("expected a new or empty folder, but ",
                       path.string(),
                       " is a file: choose another name");
  }
  const fs::path parent = path.parent_path();
  if (fs::is_directory(parent, error)) return OkStatus();
  return ConfigError("there is no folder ",
                     parent.string(),
                     " to write the project into: make it first (mkdir -p)");
}

}  // namespace

Status CheckProjectName(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kLongestName &&
                    IsLetter(name[0]) &&
                    std::all_of(name.begin(), name.end(), IsNameChar);
  if (!good) {
    return ConfigError("expected a name of at most ",
                       kLongestName,
                       " letters, digits, _ and - that begins with a letter, "
                       "got \"",
                       name,
                       "\"; such as ",
                       AllowedName(name));
  }
  if (IsTaken(name)) {
    return ConfigError("\"",
                       name,
                       "\" is the name of a target of CMake or of Gyre: choose "
                       "another, such as my_",
                       name);
  }
  return OkStatus();
}

StatusOr<std::string> WriteNewProject(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  if (path.empty() || error) {
    return ConfigError("expected a folder's name, got \"", path, "\"");
  }
  if (!folder.has_filename()) folder = folder.parent_path();  // a/b/
  const std::string name = folder.filename().string();
  GYRE_RETURN_IF_ERROR(CheckProjectName(name));
  GYRE_RETURN_IF_ERROR(CheckPlace(folder));
  GYRE_RETURN_IF_ERROR(CreateDirectories(folder.string()));
  for (const ProjectFile& file : ProjectFiles()) {
    GYRE_RETURN_IF_ERROR(WriteFileAtomically((folder / file.name).string(),
                                             FillIn(file.text, name)));
  }
  return name;
}

}  // namespace gyre::internal::inline apps

#include "apps/gyre/launch/program_lookup.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <vector>

namespace gyre::internal::inline apps {
namespace {

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

bool IsProgram(const std::string& path) {
  return IsFile(path) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

StatusOr<std::string> FindProgram(const std::string& name,
                                  const std::string& own_folder,
                                  const std::string& path) {
  const bool has_slash = name.find('/') != std::string::npos;
  std::vector<std::string> candidates = {has_slash ? name : "./" + name};
  if (!has_slash) {
    if (!own_folder.empty()) candidates.push_back(own_folder + "/" + name);
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      candidates.push_back((folder.empty() ? "." : folder) + "/" + name);
    }
  }
  for (const std::string& candidate : candidates) {
    if (IsProgram(candidate)) return candidate;
  }
  if (IsFile(candidates[0])) {
    return ConfigError("gyre launch: ", name, " is not executable");
  }
  return ConfigError("gyre launch: no program ",
                     name,
                     has_slash ? "" : " here, beside gyre, or in PATH");
}

std::string OwnFolder() {
  std::error_code error;
  const auto exe = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : exe.parent_path().string();
}

}  // namespace gyre::internal::inline apps

// What `gyre new` writes: the files of apps/gyre/new/project, which are a
// project named my_project and compile as they are.

#ifndef GYRE_APPS_GYRE_NEW_PROJECT_FILES_H_
#define GYRE_APPS_GYRE_NEW_PROJECT_FILES_H_

#include <span>
#include <string_view>

namespace gyre::internal::inline apps {

struct ProjectFile {
  std::string_view name;
  std::string_view text;
};

std::span<const ProjectFile> ProjectFiles();

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_NEW_PROJECT_FILES_H_

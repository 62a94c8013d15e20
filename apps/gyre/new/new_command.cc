#include "apps/gyre/new/new_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "apps/gyre/new/new_project.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Writes a small project of your own into the folder PATH: a model, a loss\n"
    "(loss.h), a test of its gradient and of hard inputs, and a CMakeLists.txt "
    "that\ntakes Gyre as it is installed, or from its source tree with\n"
    "-DGYRE_SOURCE_DIR=... The folder's name is the project's.";

std::string NextCommands(const std::string& path, const std::string& name) {
  return Cat("wrote ",
             path,
             ": a program with a loss of its own. Next:\n"
             "  cd ",
             path,
             "\n"
             "  cmake -S . -B build   # Gyre not installed: "
             "-DGYRE_SOURCE_DIR=/path/to/gyre\n"
             "  cmake --build build\n"
             "  ctest --test-dir build\n"
             "  build/",
             name,
             "\n");
}

}  // namespace

int RunNew(std::span<const std::string> args) {
  std::vector<std::string> paths;
  Flags flags("gyre new", kDescription);
  flags.AllowPositional("PATH", &paths, "where to write the project");
  return RunCommand(flags, args, [&]() -> Status {
    GYRE_RETURN_IF_ERROR(CheckCount(paths, 1, 1, "gyre new PATH"));
    GYRE_ASSIGN_OR_RETURN(const std::string name, WriteNewProject(paths[0]));
    Print(NextCommands(paths[0], name));
    return OkStatus();
  });
}

}  // namespace gyre::internal::inline apps

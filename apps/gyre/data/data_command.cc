#include "apps/gyre/data/data_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/data/cf/inspect_file.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDataUsage[] = "gyre data inspect FILE [--json]";
constexpr char kDataHelp[] =
    "  gyre data inspect FILE    what is in a NetCDF file: axes, times, "
    "units,\n"
    "                            ranges, what is missing, and what Gyre would\n"
    "                            do with it or refuse";

struct DataOptions {
  std::vector<std::string> words;
  bool json = false;
};

Flags MakeDataFlags(DataOptions& options) {
  Flags flags("gyre data", kDataHelp);
  flags.AllowPositional("inspect FILE", &options.words, "what to do");
  flags.Add("json", &options.json, "print an object");
  return flags;
}

Status RunDataWords(const DataOptions& options) {
  GYRE_RETURN_IF_ERROR(CheckCount(options.words, 2, 2, kDataUsage));
  if (options.words[0] != "inspect") {
    return ConfigError(
        "gyre data has no \"", options.words[0], "\": usage: ", kDataUsage);
  }
  GYRE_ASSIGN_OR_RETURN(const Json found, InspectFile(options.words[1]));
  Print(options.json ? found.Pretty() : FileInWords(found));
  return OkStatus();
}

}  // namespace

int RunData(std::span<const std::string> args) {
  DataOptions options;
  return RunCommand(
      MakeDataFlags(options), args, [&] { return RunDataWords(options); });
}

}  // namespace gyre::internal::inline apps

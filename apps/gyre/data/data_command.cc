#include "apps/gyre/data/data_command.h"

#include <cstdio>
#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/data/cf/inspect_file.h"
#include "gyre/data/dataset/statistics.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDataUsage[] =
    "gyre data inspect FILE [--json] | gyre data stats CONFIG [--out FILE]";
constexpr char kDataHelp[] =
    "  gyre data inspect FILE    what is in a NetCDF file: axes, times, "
    "units,\n"
    "                            ranges, what is missing, and what Gyre would\n"
    "                            do with it or refuse\n"
    "  gyre data stats CONFIG    mean and spread of each channel over the\n"
    "                            training period of a configuration";

struct DataOptions {
  std::vector<std::string> words;
  std::string out;
  bool json = false;
};

Flags MakeDataFlags(DataOptions& options) {
  Flags flags("gyre data", kDataHelp);
  flags.AllowPositional("inspect FILE|stats CONFIG",
                        &options.words,
                        "what to do, and with which file");
  flags.Add("out", &options.out, "write the statistics to this file, too");
  flags.Add("json", &options.json, "print an object");
  return flags;
}

std::string StatisticsTable(const Json& statistics) {
  std::string text =
      "channel  unit           mean         std  std of change       valid\n";
  for (const auto& [name, s] : statistics.Find("channels")->members()) {
    char line[160];
    std::snprintf(line,
                  sizeof line,
                  "%-8s %-8s %11.6g %11.6g %14.6g %11lld\n",
                  name.c_str(),
                  s.GetString("unit").value_or("").c_str(),
                  s.GetDouble("mean").value_or(0),
                  s.GetDouble("std").value_or(0),
                  s.GetDouble("std_tendency").value_or(0),
                  static_cast<long long>(s.GetInt("count").value_or(0)));
    text += line;
  }
  const auto& train = statistics.Find("train")->elements();
  return text + Cat("training data ",
                    train[0].AsString().value_or(""),
                    " to ",
                    train[1].AsString().value_or(""),
                    ", hash ",
                    statistics.GetString("data").value_or(""),
                    "\n");
}

Status PrintStatistics(const DataOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const DatasetConfig config,
                        ReadDatasetConfig(options.words[1]));
  GYRE_ASSIGN_OR_RETURN(const GriddedData data, LoadDataset(config));
  for (const std::string& note : data.notes) LogInfo(note);
  std::vector<std::string> warnings;
  GYRE_ASSIGN_OR_RETURN(const Json statistics,
                        DatasetStatistics(data, &warnings));
  for (const std::string& warning : warnings) LogWarning(warning);
  if (!options.out.empty()) {
    GYRE_RETURN_IF_ERROR(WriteFileAtomically(options.out, statistics.Pretty()));
  }
  Print(options.json ? statistics.Pretty() : StatisticsTable(statistics));
  return OkStatus();
}

Status RunDataWords(const DataOptions& options) {
  GYRE_RETURN_IF_ERROR(CheckCount(options.words, 2, 2, kDataUsage));
  if (options.words[0] == "stats") return PrintStatistics(options);
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

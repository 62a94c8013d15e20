#include "apps/gyre/doctor/doctor_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/core/log.h"
#include "gyre/monitor/doctor/doctor.h"
#include "gyre/monitor/records/run_records.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    "Says what may be wrong with a run, from its records: the symptom, and "
    "for each\nfamily of causes what speaks for it, against it, and what to "
    "try next.";

struct Options {
  std::vector<std::string> paths;
  bool json = false;
};

Flags MakeFlags(Options& options) {
  Flags flags("gyre doctor", kDescription);
  flags.AllowPositional("RUN", &options.paths, "a run directory");
  flags.Add("json", &options.json, "print the diagnosis as an object");
  return flags;
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(
      CheckCount(options.paths, 1, 1, "gyre doctor RUN [--json]"));
  GYRE_ASSIGN_OR_RETURN(const RunRecords records,
                        ReadRunRecords(options.paths[0]));
  for (const std::string& note : records.notes) LogInfo("note: ", note);
  const Diagnosis diagnosis = Diagnose(FactsOf(records));
  Print(options.json ? ToJson(diagnosis).Pretty() : ToText(diagnosis));
  return OkStatus();
}

}  // namespace

int RunDoctor(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre::internal::inline apps

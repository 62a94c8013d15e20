#include "apps/gyre/replay/replay_command.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "apps/gyre/common/command_line.h"
#include "apps/gyre/inspect/compare_paths.h"
#include "apps/gyre/replay/changes.h"
#include "apps/gyre/replay/program_run.h"
#include "apps/gyre/replay/replay_options.h"
#include "apps/gyre/replay/replay_report.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/monitor/inspect/checkpoint_files.h"
#include "gyre/monitor/inspect/difference_table.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/replay/evidence.h"

namespace gyre::internal::inline apps {
namespace {

std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::weakly_canonical(path, error);
  return error ? path : absolute.string();
}

// The steps of a run that were kept whole.
std::vector<std::string> KeptSteps(const std::string& run) {
  std::vector<std::string> kept;
  const std::string folder = run + "/evidence";
  if (!DirectoryExists(folder)) return kept;
  for (const std::string& name :
       ListDirectory(folder).value_or(std::vector<std::string>())) {
    if (FileExists(Cat(folder, "/", name, "/manifest.json"))) {
      kept.push_back(name);
    }
  }
  return kept;
}

std::string ListOf(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list.empty() ? "none" : list;
}

// The folder of the step that is meant.
StatusOr<std::string> FindEvidence(const std::string& path, std::int64_t step) {
  if (step < 0 && FileExists(path + "/manifest.json")) return path;
  if (!DirectoryExists(path)) {
    return ConfigError(
        "expected a run directory at ", path, ": check the path");
  }
  const std::vector<std::string> kept = KeptSteps(path);
  const std::string folder = path + "/evidence/";
  if (step < 0 && kept.size() == 1) return folder + kept[0];
  if (step < 0) {
    return ConfigError("--step says which step; kept in ",
                       path,
                       "/evidence are: ",
                       ListOf(kept));
  }
  if (FileExists(Cat(folder, StepName(step), "/manifest.json"))) {
    return folder + StepName(step);
  }
  return ConfigError("step ",
                     step,
                     " of ",
                     path,
                     " was not kept: its verdict was clean, the limit was "
                     "reached (LoopOptions::capture), or the run was killed "
                     "meanwhile. Kept are: ",
                     ListOf(kept));
}

// Before the program finds out, on every rank.
Status CheckWhole(const std::string& folder) {
  GYRE_ASSIGN_OR_RETURN(const CheckpointFiles files,
                        ReadCheckpointFiles(folder));
  if (files.problems.empty()) return OkStatus();
  return CheckpointError(
      folder,
      " cannot be replayed: ",
      files.problems[0],
      files.problems.size() > 1
          ? Cat(" (and ", files.problems.size() - 1, " more; see gyre inspect)")
          : std::string(),
      "; replay another step");
}

// The program to start: the one that made the step, to the bit.
StatusOr<std::string> FindProgramOf(const Evidence& evidence,
                                    const ReplayOptions& options,
                                    std::vector<std::string>& notes) {
  const EvidenceStart& start = evidence.start;
  const std::string program =
      options.program.empty() ? start.start.program : Absolute(options.program);
  if (::access(program.c_str(), X_OK) != 0) {
    return ConfigError("the program that made the step, ",
                       program,
                       ", is not there any more or cannot be run: give its "
                       "path with --program");
  }
  GYRE_ASSIGN_OR_RETURN(const std::string build,
                        HashOfFile(program, ErrorKind::kConfig));
  if (build == start.identity.build) return program;
  if (!options.other_build) {
    return ConfigError(program,
                       " is another build (",
                       build,
                       ") than the one that made the step (",
                       start.identity.build,
                       "): give the old one with --program, or replay with "
                       "this one with --other-build");
  }
  notes.push_back("another build of the program than the original's");
  return program;
}

void AddNotes(const Evidence& evidence, std::vector<std::string>& notes) {
  const std::string isa = ReadProgramIdentity().isa;
  if (evidence.start.identity.isa != isa) {
    notes.push_back(Cat("another processor or instruction set: was \"",
                        evidence.start.identity.isa,
                        "\", is \"",
                        isa,
                        "\"; bits may differ"));
  }
  const std::string order =
      evidence.manifest.GetString("reduction_order").value_or("tree");
  if (order != "tree") {
    notes.push_back(
        Cat("the original added the ranks' gradients in another "
            "order (",
            order,
            "); bits may differ"));
  }
}

StatusOr<ReplayReport> ReplayAll(const Evidence& evidence,
                                 const ReplayOptions& options) {
  ReplayReport report;
  ProgramRun run;
  run.timeout_s = options.timeout_s;
  GYRE_ASSIGN_OR_RETURN(const ProgramStart self, ReadProgramStart());
  run.gyre = self.program;
  GYRE_ASSIGN_OR_RETURN(run.program,
                        FindProgramOf(evidence, options, report.notes));
  AddNotes(evidence, report.notes);
  const std::vector<Change> changes = ChangesFor(options, evidence);
  for (const Change& change : changes) {
    if (changes.size() > 1) {
      LogLine(Cat("gyre replay: ",
                  report.rows.size() + 1,
                  " of ",
                  changes.size(),
                  ", change: ",
                  change.name));
    }
    const auto outcome = RunProgram(run, evidence, change);
    // Without it there is nothing to compare the changes with.
    if (report.rows.empty()) GYRE_RETURN_IF_ERROR(outcome.status());
    report.rows.push_back({change, outcome});
  }
  const Json& plain = *report.rows[0].outcome;
  const Json* result = plain.Find("result");
  if (result == nullptr) return InternalError("result.json has no result");
  GYRE_ASSIGN_OR_RETURN(report.differences,
                        CompareResults(evidence.result, *result));
  const std::string then =
      evidence.manifest.GetString("fingerprint").value_or("?");
  const std::string now = plain.GetString("fingerprint").value_or("?");
  if (then != now) report.differences.push_back({-1, "program", then, now});
  return report;
}

Status Run(const ReplayOptions& options) {
  if (options.diff) {
    GYRE_ASSIGN_OR_RETURN(const Json json,
                          ComparePaths(options.paths[0], options.paths[1]));
    Print(options.json ? json.Pretty() : DifferenceTable(json));
    return OkStatus();
  }
  GYRE_ASSIGN_OR_RETURN(const std::string folder,
                        FindEvidence(Absolute(options.paths[0]), options.step));
  GYRE_ASSIGN_OR_RETURN(const Evidence evidence, ReadEvidence(folder));
  GYRE_RETURN_IF_ERROR(CheckWhole(folder));
  GYRE_ASSIGN_OR_RETURN(const ReplayReport report,
                        ReplayAll(evidence, options));
  Print(options.json ? ToJson(report, evidence).Pretty()
                     : InWords(report, evidence));
  if (report.same()) return OkStatus();
  return MismatchError("the replay of step ",
                       evidence.step,
                       " gave other bits than the original (",
                       report.differences.size(),
                       " differences)");
}

}  // namespace

int RunReplay(std::span<const std::string> args) {
  const auto options = ParseReplayOptions(args);
  const Status status = !options.ok()   ? options.status()
                        : options->help ? OkStatus()
                                        : Run(*options);
  if (!status.ok()) LogError(Message(status));
  return ExitCodeOf(status);
}

}  // namespace gyre::internal::inline apps

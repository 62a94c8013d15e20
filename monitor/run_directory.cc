#include "monitor/run_directory.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "core/io/file.h"

namespace gyre {
namespace {

std::string Padded(std::int64_t number, int digits) {
  char text[32];
  std::snprintf(
      text, sizeof text, "%0*lld", digits, static_cast<long long>(number));
  return text;
}

Status Unwritable(const std::string& path, const Status& reason) {
  return ConfigError("cannot use ",
                     path,
                     " as the run directory: ",
                     Message(reason),
                     " (--out names it)");
}

}  // namespace

std::string StepName(std::int64_t step) { return "step-" + Padded(step, 8); }

StatusOr<RunDirectory> RunDirectory::Create(const std::string& path, int rank) {
  RunDirectory run(path);
  for (const char* folder : {"", "/ranks", "/checkpoints", "/evidence"}) {
    if (const Status made = CreateDirectories(path + folder); !made.ok()) {
      return Unwritable(path, made);
    }
  }
  // The folders may be there and yet be read-only.
  const std::string probe = Cat(path, "/ranks/.probe-", rank);
  if (const Status written = WriteFileAtomically(probe, ""); !written.ok()) {
    return Unwritable(path, written);
  }
  ::unlink(probe.c_str());
  return run;
}

StatusOr<RunDirectory> RunDirectory::Open(const std::string& path) {
  RunDirectory run(path);
  if (!FileExists(run.run_json())) {
    return ConfigError("expected a run directory at ",
                       path,
                       ", but it holds no run.json: check the path");
  }
  return run;
}

std::string RunDirectory::checkpoint(std::int64_t step) const {
  return Cat(checkpoints(), "/", StepName(step));
}

std::string RunDirectory::evidence(std::int64_t step) const {
  return Cat(path_, "/evidence/", StepName(step));
}

std::string RunDirectory::rank_log(int rank) const {
  return Cat(path_, "/ranks/", Padded(rank, 5), ".jsonl");
}

Status RunDirectory::WriteRunJson(const Json& json) const {
  return WriteFileAtomically(run_json(), json.Pretty());
}

Status RunDirectory::WriteSummary(const Json& json) const {
  return WriteFileAtomically(summary(), json.Pretty());
}

}  // namespace gyre

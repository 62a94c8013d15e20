#include "gyre/monitor/run_directory.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gyre/core/io/file.h"

namespace gyre {

using namespace internal;

namespace {

constexpr int kMaxSetAside = 9999;

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
  for (const char* folder : {"", "/ranks", "/checkpoints"}) {
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

Status RunDirectory::SetAside(const std::string& path) {
  if (!FileExists(path + "/run.json")) return OkStatus();
  for (int n = 1; n <= kMaxSetAside; ++n) {
    const std::string target = Cat(path, ".", n);
    if (FileExists(target)) continue;
    if (::rename(path.c_str(), target.c_str()) == 0) return OkStatus();
    return Unwritable(path,
                      ConfigError("the run that is there cannot be "
                                  "renamed to ",
                                  target,
                                  ": ",
                                  std::strerror(errno)));
  }
  return Unwritable(path,
                    ConfigError("it and ",
                                kMaxSetAside,
                                " older runs "
                                "are there; remove some"));
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

std::string RunDirectory::rank_log(int rank) const {
  return Cat(path_, "/ranks/", Padded(rank, 5), ".jsonl");
}

std::string RunDirectory::evidence(std::int64_t step) const {
  return Cat(path_, "/evidence/", StepName(step));
}

std::string RunDirectory::CauseName(std::int64_t step) {
  return Cat("evidence/", StepName(step), "/cause.json");
}

Status RunDirectory::WriteCause(std::int64_t step, const Json& json) const {
  GYRE_RETURN_IF_ERROR(CreateDirectories(evidence(step)));
  return WriteFileAtomically(Cat(path_, "/", CauseName(step)), json.Pretty());
}

std::string RunDirectory::flight_log(int rank) const {
  return Cat(path_, "/flight/", Padded(rank, 5), ".jsonl");
}

Status RunDirectory::WriteRunJson(const Json& json) const {
  Json all = defaults_;
  for (const auto& [key, value] : json.members()) all.Set(key, value);
  for (const auto& [key, value] : always_.members()) all.Set(key, value);
  return WriteFileAtomically(run_json(), all.Pretty());
}

Status RunDirectory::WriteSummary(const Json& json) const {
  return WriteFileAtomically(summary(), json.Pretty());
}

StatusOr<Json> RunDirectory::AddToSummary(const Json& members) const {
  GYRE_ASSIGN_OR_RETURN(Json all, ReadSummary());
  for (const auto& [key, value] : members.members()) all.Set(key, value);
  GYRE_RETURN_IF_ERROR(WriteSummary(all));
  return all;
}

StatusOr<Json> RunDirectory::ReadSummary() const {
  if (!FileExists(summary())) return Json::Object();
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(summary()));
  return Json::Parse(text, summary());
}

Status RunDirectory::RemoveSummary() const {
  if (::unlink(summary().c_str()) == 0 || errno == ENOENT) return OkStatus();
  return ConfigError(
      "cannot remove ", summary(), ", of before: ", std::strerror(errno));
}

}  // namespace gyre

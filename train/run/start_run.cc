#include "gyre/train/run/start_run.h"

#include <optional>
#include <span>
#include <utility>

#include "gyre/mesh/agreement.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/context/rewind_request.h"
#include "gyre/train/replay/evidence.h"
#include "gyre/train/replay/replay.h"

namespace gyre {

using namespace internal;

namespace {

// Whether `inner` is `outer` or lies in it, as far as the names tell.
bool LiesIn(const std::string& inner, const std::string& outer) {
  return inner == outer || inner.rfind(outer + "/", 0) == 0;
}

// The folders, on every rank, or on none.
StatusOr<RunDirectory> CreateOnAll(const Mesh& mesh, const std::string& path) {
  StatusOr<RunDirectory> run = RunDirectory::Create(path, mesh.rank());
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(run.status(), mesh.world(), "run directory made"));
  return run;
}

std::string NameIn(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What run.json says before the program has its say, which may write none, or
// die before it does.
Status BeginRunJson(const Mesh& mesh,
                    const std::optional<RewindRequest>& rewind,
                    RunDirectory& run) {
  GYRE_ASSIGN_OR_RETURN(const EvidenceStart start,
                        ReadEvidenceStart(mesh.run_context()));
  run.RecordByDefault(
      Json::Object({{"program", NameIn(start.start.program)},
                    {"world", mesh.size()},
                    {"mesh", mesh.Describe()},
                    {"collectives", mesh.world().backend()},
                    {"reduction_order", mesh.world().reduction_order()}}));
  Json always = Json::Object({{"started", ToJson(start)}});
  if (rewind.has_value()) always.Set("rewind", rewind->ToJson());
  run.AlwaysRecord(std::move(always));
  return run.WriteRunJson(Json::Object());
}

}  // namespace

StatusOr<RunDirectory> StartRun(const Mesh& mesh,
                                const std::string& path,
                                const std::string& resume) {
  GYRE_ASSIGN_OR_RETURN(const auto replay,
                        ReplayRequest::Of(mesh.run_context()));
  // What is at `path` may be the run that is looked at.
  if (replay.has_value()) return CreateOnAll(mesh, replay->out + "/run");
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::Of(mesh.run_context()));
  const std::string& out = rewind.has_value() ? rewind->out : path;
  // A path with the time in it is another one a second later.
  GYRE_RETURN_IF_ERROR(
      AgreeOnLines(std::span(&out, 1), "run directory", mesh.world()));
  GYRE_RETURN_IF_ERROR(DoneByRankZero(
      [&] {
        return LiesIn(resume, out) ? OkStatus() : RunDirectory::SetAside(out);
      },
      mesh.world(),
      "start of the run"));
  GYRE_ASSIGN_OR_RETURN(RunDirectory run, CreateOnAll(mesh, out));
  GYRE_RETURN_IF_ERROR(
      DoneByRankZero([&] { return BeginRunJson(mesh, rewind, run); },
                     mesh.world(),
                     "run.json written"));
  return run;
}

}  // namespace gyre

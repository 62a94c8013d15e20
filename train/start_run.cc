#include "gyre/train/start_run.h"

#include <optional>
#include <utility>

#include "gyre/train/evidence.h"
#include "gyre/train/replay.h"
#include "gyre/train/rewind_request.h"

namespace gyre {
namespace {

// Whether `inner` is `outer` or lies in it, as far as the names tell.
bool LiesIn(const std::string& inner, const std::string& outer) {
  return inner == outer || inner.rfind(outer + "/", 0) == 0;
}

}  // namespace

StatusOr<RunDirectory> StartRun(const Mesh& mesh,
                                const std::string& path,
                                const std::string& resume) {
  GYRE_ASSIGN_OR_RETURN(const auto replay, ReplayRequest::FromEnvironment());
  if (replay.has_value()) {
    // What is at `path` may be the run that is looked at.
    return RunDirectory::Create(replay->out + "/run", mesh.rank());
  }
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::FromEnvironment());
  const std::string& out = rewind.has_value() ? rewind->out : path;
  if (mesh.rank() == 0 && !LiesIn(resume, out)) {
    GYRE_RETURN_IF_ERROR(RunDirectory::SetAside(out));
  }
  GYRE_RETURN_IF_ERROR(mesh.world().Barrier({.label = "start of the run"}));
  GYRE_ASSIGN_OR_RETURN(RunDirectory run,
                        RunDirectory::Create(out, mesh.rank()));
  if (mesh.rank() != 0) return run;
  GYRE_ASSIGN_OR_RETURN(const EvidenceStart start, ReadEvidenceStart());
  Json always = Json::Object({{"started", ToJson(start)}});
  if (rewind.has_value()) always.Set("rewind", rewind->ToJson());
  run.AlwaysRecord(std::move(always));
  // A program may write none, or die before it does.
  GYRE_RETURN_IF_ERROR(run.WriteRunJson(
      Json::Object({{"world", mesh.size()}, {"mesh", mesh.Describe()}})));
  return run;
}

}  // namespace gyre

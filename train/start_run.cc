#include "train/start_run.h"

#include "train/evidence.h"
#include "train/replay.h"

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
  if (mesh.rank() == 0 && !LiesIn(resume, path)) {
    GYRE_RETURN_IF_ERROR(RunDirectory::SetAside(path));
  }
  GYRE_RETURN_IF_ERROR(mesh.world().Barrier({.label = "start of the run"}));
  GYRE_ASSIGN_OR_RETURN(RunDirectory run,
                        RunDirectory::Create(path, mesh.rank()));
  if (mesh.rank() != 0) return run;
  GYRE_ASSIGN_OR_RETURN(const EvidenceStart start, ReadEvidenceStart());
  run.AlwaysRecord(Json::Object({{"started", ToJson(start)}}));
  // A program may write none, or die before it does.
  GYRE_RETURN_IF_ERROR(run.WriteRunJson(
      Json::Object({{"world", mesh.size()}, {"mesh", mesh.Describe()}})));
  return run;
}

}  // namespace gyre

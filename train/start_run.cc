#include "train/start_run.h"

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
  if (mesh.rank() == 0 && !LiesIn(resume, path)) {
    GYRE_RETURN_IF_ERROR(RunDirectory::SetAside(path));
  }
  GYRE_RETURN_IF_ERROR(mesh.world().Barrier({.label = "start of the run"}));
  return RunDirectory::Create(path, mesh.rank());
}

}  // namespace gyre

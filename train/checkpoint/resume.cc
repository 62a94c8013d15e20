#include "gyre/train/checkpoint/resume.h"

#include <vector>

#include "gyre/core/log.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "gyre/train/context/rewind_request.h"

namespace gyre {

using namespace internal;

namespace {

StatusOr<std::string> OwnResumePoint(const RunContext& context,
                                     const std::string& out,
                                     const std::string& resume) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::Of(context));
  const std::string& first = rewind.has_value() ? rewind->checkpoint : resume;
  if (context.restarts == 0) return first;
  GYRE_ASSIGN_OR_RETURN(
      const std::string newest,
      NewestGoodCheckpoint(rewind.has_value() ? rewind->out : out));
  return newest.empty() ? first : newest;
}

}  // namespace

StatusOr<std::string> NewestGoodCheckpoint(const std::string& path) {
  const std::string folder = path + "/checkpoints";
  GYRE_ASSIGN_OR_RETURN(const std::vector<CheckpointEntry> entries,
                        ListCheckpoints(folder));
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (!entry->good) continue;
    const std::string candidate = folder + "/" + entry->name;
    const Status whole = VerifyCheckpoint(candidate);
    if (whole.ok()) return candidate;
    LogWarning(candidate, " is passed over: ", Message(whole));
  }
  return std::string();
}

StatusOr<std::string> ResumePoint(const Mesh& mesh,
                                  const std::string& out,
                                  const std::string& resume) {
  return OutcomeOfRankZero(
      [&] { return OwnResumePoint(mesh.run_context(), out, resume); },
      mesh.world(),
      "where to go on from");
}

}  // namespace gyre

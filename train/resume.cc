#include "gyre/train/resume.h"

#include <charconv>
#include <cstdlib>
#include <vector>

#include "gyre/core/log.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint_files.h"
#include "gyre/train/rewind_request.h"

namespace gyre {

using namespace internal;

namespace {

// How launchers count the times that they have started a program again:
// ours, torchrun, and Slurm when it puts a job back into its queue.
constexpr const char* kRestarts[] = {
    "GYRE_RESTART", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};

StatusOr<bool> IsRestart() {
  for (const char* const name : kRestarts) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text = value;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < 0) {
      return ConfigError(name,
                         "=\"",
                         text,
                         "\": a number of restarts was expected; launchers "
                         "set it, unset it otherwise");
    }
    if (number > 0) return true;
  }
  return false;
}

StatusOr<std::string> OwnResumePoint(const std::string& out,
                                     const std::string& resume) {
  GYRE_ASSIGN_OR_RETURN(const bool restart, IsRestart());
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::FromEnvironment());
  const std::string& first = rewind.has_value() ? rewind->checkpoint : resume;
  if (!restart) return first;
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
  return OutcomeOfRankZero([&] { return OwnResumePoint(out, resume); },
                           mesh.world(),
                           "where to go on from");
}

}  // namespace gyre

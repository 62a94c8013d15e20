// The program, started for one replay.

#ifndef GYRE_APPS_GYRE_REPLAY_PROGRAM_RUN_H_
#define GYRE_APPS_GYRE_REPLAY_PROGRAM_RUN_H_

#include <string>

#include "apps/gyre/replay/changes.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/replay/evidence.h"

namespace gyre::internal::inline apps {

// A folder of our own for what the program writes; removed with it.
class ScratchFolder {
 public:
  static StatusOr<ScratchFolder> Make();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

struct ProgramRun {
  std::string gyre;     // the path of the command
  std::string program;  // a path, too
  double timeout_s = 300;
};

// Runs it under `gyre launch`, all ranks in one process, and gives its
// result.json (train/replay/replay.h). Errors: it cannot be started, it does
// not end in time, or it ends without a result; then with the last lines of its
// output.
StatusOr<Json> RunProgram(const ProgramRun& run,
                          const Evidence& evidence,
                          const Change& change);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPLAY_PROGRAM_RUN_H_

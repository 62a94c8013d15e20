// The merged output of all ranks: on the launcher's own streams, line by
// line, and in a file for each rank when asked for.

#ifndef GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_
#define GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

#include <string>
#include <vector>

#include "apps/gyre/launch/line_splitter.h"
#include "collectives/shm/memfd.h"
#include "core/status.h"

namespace gyre {

class Output {
 public:
  // Which lines are marked with their rank.
  enum class Marks {
    kNone,  // a single rank
    kAll,
    kNotRank0,  // all but rank 0's standard output: a program's JSON
  };

  // Error: the log folder cannot be written.
  static StatusOr<Output> Open(int ranks,
                               Marks marks,
                               const std::string& log_dir);

  enum class Stream { kOut, kErr };

  // Reads what `fd` has. False at its end.
  bool Drain(int rank, Stream stream, int fd);

 private:
  struct RankOutput {
    LineSplitter out;
    LineSplitter err;
    FileHandle log;
  };
  void Write(const RankOutput& to, Stream stream, const std::string& text);

  std::vector<RankOutput> ranks_;
};

}  // namespace gyre

#endif  // GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

// The merged output of all ranks: on the launcher's own streams, line by
// line, and in a file for each rank when asked for. An error that several
// ranks report alike is shown once; their files have it all.

#ifndef GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_
#define GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "apps/gyre/launch/line_splitter.h"
#include "apps/gyre/launch/repeated_errors.h"
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

  // What was not shown, in a line for each error.
  std::vector<std::string> RepeatedErrorLines() { return repeated_.Summary(); }

 private:
  struct RankOutput {
    LineSplitter out;
    LineSplitter err;
    FileHandle log;
    std::size_t mark;  // the length of the mark of each line of `err`
  };
  void Write(int rank, Stream stream, const std::string& text);
  // `text` without the lines that another rank's errors have shown already.
  std::string WithoutRepeats(int rank, const std::string& text);

  std::vector<RankOutput> ranks_;
  RepeatedErrors repeated_;
};

}  // namespace gyre

#endif  // GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

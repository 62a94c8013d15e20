// The merged output of all ranks: on the launcher's own streams, line by
// line, and in a file for each process when asked for. An error that several
// ranks report alike is shown once; their files have it all.

#ifndef GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_
#define GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/gyre/launch/line_splitter.h"
#include "apps/gyre/launch/rank_span.h"
#include "apps/gyre/launch/repeated_errors.h"
#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

class Output {
 public:
  // Which lines are marked with their rank.
  enum class Marks {
    kNone,  // a single rank
    kAll,
    kNotRank0,  // all but rank 0's standard output: a program's JSON
  };

  // Of the processes of these ranks. Error: the log folder cannot be written.
  static StatusOr<Output> Open(std::span<const RankSpan> processes,
                               Marks marks,
                               const std::string& log_dir);

  enum class Stream { kOut, kErr };

  // Reads what `fd` has, of a process by its index. False at its end.
  bool Drain(int index, Stream stream, int fd);

  // What was not shown, in a line for each error.
  std::vector<std::string> RepeatedErrorLines() { return repeated_.Summary(); }

 private:
  struct ProcessOutput {
    RankSpan ranks;
    LineSplitter out;
    LineSplitter err;
    FileHandle log;
    std::size_t mark;  // the length of the mark of each line of `err`
  };
  void Write(int index, Stream stream, const std::string& text);
  // `text` without the lines that another rank's errors have shown already.
  std::string WithoutRepeats(int index, const std::string& text);

  std::vector<ProcessOutput> processes_;
  RepeatedErrors repeated_;
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_OUTPUT_H_

// The process of a rank, or of several: how it is started, heard, signalled and
// buried.

#ifndef GYRE_APPS_GYRE_LAUNCH_RANK_PROCESS_H_
#define GYRE_APPS_GYRE_LAUNCH_RANK_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/gyre/launch/rank_span.h"
#include "apps/gyre/launch/verdict.h"
#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct RankCommand {
  int rank = 0;                        // the first, of several
  int ranks = 1;                       // that the process hosts
  std::string program;                 // a path
  std::vector<std::string> arguments;  // the program's name included
  // Set in the child, on top of the launcher's own environment.
  std::vector<std::pair<std::string, std::string>> env;
  int inherited_fd = -1;             // stays open in the child
  bool capture = true;               // its output comes through pipes
  std::vector<int> processors = {};  // that it may use; empty: as we do
  // It stands for ranks elsewhere: signals are written to its standard input,
  // a number a line, after `first_line`.
  bool controlled = false;
  std::string first_line = {};
};

class RankProcess {
 public:
  // The rank leads a process group of its own, reads /dev/null (unless it is
  // controlled), and dies with the launcher. Error: the program cannot be
  // executed.
  static StatusOr<RankProcess> Start(const RankCommand& command);

  pid_t pid() const { return pid_; }
  bool running() const { return running_; }
  // Pipes with its output, not blocking; -1 when not captured.
  int out() const { return out_.get(); }
  int err() const { return err_.get(); }

  // To the rank and all that it has started.
  void Signal(int signal) const;

  // Ends it. False: it is only told to, and has to be killed again should it
  // not end.
  bool Kill();

  // Its end, once, if it has come. Whatever else is left of its group is
  // killed.
  std::optional<RankEnd> Poll();

 private:
  RankProcess(RankSpan ranks,
              pid_t pid,
              FileHandle out,
              FileHandle err,
              FileHandle control)
      : ranks_(ranks),
        pid_(pid),
        out_(std::move(out)),
        err_(std::move(err)),
        control_(std::move(control)) {}

  RankSpan ranks_;
  pid_t pid_;
  FileHandle out_;
  FileHandle err_;
  FileHandle control_;
  bool running_ = true;
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_RANK_PROCESS_H_

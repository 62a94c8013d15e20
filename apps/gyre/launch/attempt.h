// One attempt at a run: all ranks, from their start to their end.

#ifndef GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_
#define GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_

#include <poll.h>

#include <limits>
#include <string>
#include <vector>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/output.h"
#include "apps/gyre/launch/rank_process.h"
#include "apps/gyre/launch/verdict.h"
#include "core/clock.h"
#include "core/status.h"

namespace gyre {

// Where the ranks of one attempt meet.
struct Meeting {
  int shm_fd = -1;
  std::string token;
  int restart = 0;  // how many attempts there were before
};

class Attempt {
 public:
  // `signals`: a signalfd of what the launcher was sent. All must outlive the
  // attempt.
  Attempt(const LaunchOptions& options, Output& output, int signals)
      : options_(options), output_(output), signals_(signals) {}

  // Error: a rank could not be started; those that were are killed.
  Status Start(const std::string& program, const Meeting& meeting);
  // Until all have ended, in the order of their ends.
  std::vector<RankEnd> Run();
  // The signal by which the user stopped the run, or 0.
  int stopped_by() const { return stopped_by_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  RankCommand CommandFor(int rank,
                         const std::string& program,
                         const Meeting& meeting) const;
  void SignalAll(int signal);
  void HandleSignals();
  void CollectEnds();
  void Escalate();
  void DrainOutput(const std::vector<pollfd>& events);
  std::vector<pollfd> Events() const;
  double NextDeadline() const;
  bool AnyRunning() const;

  struct OpenPipe {
    int rank;
    Output::Stream stream;
    int fd;
  };

  const LaunchOptions& options_;
  Output& output_;
  const int signals_;
  std::vector<RankProcess> ranks_;
  std::vector<OpenPipe> pipes_;
  std::vector<RankEnd> ends_;
  Stopwatch clock_;
  double term_at_ = kNever;
  double kill_at_ = kNever;
  double drained_at_ = kNever;
  bool asked_to_end_ = false;
  int stopped_by_ = 0;
};

}  // namespace gyre

#endif  // GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_

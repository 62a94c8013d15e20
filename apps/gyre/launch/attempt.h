// One attempt at a run: all ranks, from their start to their end.

#ifndef GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_
#define GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_

#include <poll.h>

#include <limits>
#include <string>
#include <vector>

#include "apps/gyre/launch/output.h"
#include "apps/gyre/launch/rank_process.h"
#include "apps/gyre/launch/verdict.h"
#include "apps/gyre/launch/watchdog.h"
#include "gyre/core/clock.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

class Attempt {
 public:
  // `signals`: a signalfd of what the launcher was sent; `requests`: where
  // signals come as lines of text, not blocking (-1: nowhere). All must
  // outlive the attempt. `grace_s`: between asking ranks to end and making
  // them.
  Attempt(double grace_s,
          Output& output,
          const Watchdog& watchdog,
          int signals,
          int requests = -1)
      : grace_s_(grace_s),
        output_(output),
        watchdog_(watchdog),
        signals_(signals),
        requests_(requests) {}

  // One process for each line of the output. Error: one could not be started;
  // those that were are killed.
  Status Start(const std::vector<RankCommand>& commands);
  // Until all have ended, in the order of their ends.
  std::vector<RankEnd> Run();
  // The signal by which the user stopped the run, or 0.
  int stopped_by() const { return stopped_by_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void SignalAll(int signal);
  void KillAll();
  void HandleSignals();
  void HandleRequests();
  void Handle(int signal);
  void CollectEnds();
  void Escalate();
  void DrainOutput(const std::vector<pollfd>& events);
  std::vector<pollfd> Events() const;
  double NextDeadline() const;
  bool AnyRunning() const;

  struct OpenPipe {
    int index;  // of the process
    Output::Stream stream;
    int fd;
  };

  const double grace_s_;
  Output& output_;
  const Watchdog& watchdog_;
  const int signals_;
  int requests_;
  std::string request_;  // the line that is not complete
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

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_ATTEMPT_H_

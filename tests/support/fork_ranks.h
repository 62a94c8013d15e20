// Ranks as forked processes of a test.
//
//   ForkRanks ranks;
//   ranks.Start({0, 1}, [](int rank) -> Status { ... });
//   for (const ForkOutcome& end : ranks.Wait()) { ... end.message ... }
//
// The children make no assertions: they return a Status, whose message comes
// back to the parent.

#ifndef GYRE_TESTS_SUPPORT_FORK_RANKS_H_
#define GYRE_TESTS_SUPPORT_FORK_RANKS_H_

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/check.h"
#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline tests {

// Something that one process sets and another waits for.
class ForkEvent {
 public:
  ForkEvent() : handle_(::eventfd(0, 0)) {}

  void Set() {
    const std::uint64_t one = 1;
    GYRE_CHECK(::write(handle_.get(), &one, sizeof one) == sizeof one, "set");
  }
  // False after `seconds` in vain.
  bool Wait(double seconds = 20) {
    pollfd event = {handle_.get(), POLLIN, 0};
    return ::poll(&event, 1, static_cast<int>(seconds * 1000)) == 1;
  }

 private:
  FileHandle handle_;
};

struct ForkOutcome {
  int exit_code = -1;  // -1: killed by `signal`
  int signal = 0;
  std::string message;
  double seconds = 0;  // from Start to its end
};

class ForkRanks {
 public:
  using Body = std::function<Status(int rank)>;

  ~ForkRanks() {
    for (Child& child : children_) {
      if (child.running) ::kill(child.pid, SIGKILL);
    }
    Wait();
  }

  void Start(const std::vector<int>& ranks, const Body& body) {
    std::fflush(nullptr);
    for (const int r : ranks) {
      int ends[2];
      GYRE_CHECK(::pipe(ends) == 0, "pipe");
      const pid_t pid = ::fork();
      GYRE_CHECK(pid >= 0, "fork");
      if (pid == 0) RunChild(r, ends[1], body);
      ::close(ends[1]);
      children_.push_back({pid, FileHandle(ends[0])});
    }
  }

  // Of the i-th that was started.
  pid_t pid(int i) const { return children_[i].pid; }
  void Signal(int i, int signal) { ::kill(pid(i), signal); }

  // The end of every child.
  std::vector<ForkOutcome> Wait() {
    std::vector<ForkOutcome> outcomes;
    for (Child& child : children_) outcomes.push_back(WaitFor(child));
    children_.clear();
    return outcomes;
  }

  // The ends of these only; the others go on.
  std::vector<ForkOutcome> WaitForRanks(const std::vector<int>& ranks) {
    std::vector<ForkOutcome> outcomes;
    for (const int r : ranks) outcomes.push_back(WaitFor(children_[r]));
    return outcomes;
  }

  // The first error by rank.
  static Status FirstError(const std::vector<ForkOutcome>& ends) {
    for (const ForkOutcome& end : ends) {
      if (end.exit_code == 0) continue;
      return InternalError("exit code ",
                           end.exit_code,
                           ", signal ",
                           end.signal,
                           ": ",
                           end.message);
    }
    return OkStatus();
  }

 private:
  struct Child {
    pid_t pid;
    FileHandle message;
    bool running = true;
  };

  [[noreturn]] static void RunChild(int rank, int message, const Body& body) {
    const Status status = body(rank);
    const std::string text = Message(status);
    const bool told = ::write(message, text.data(), text.size()) >= 0;
    std::_Exit(told ? ExitCodeOf(status) : kExitInternal);
  }

  ForkOutcome WaitFor(Child& child) {
    ForkOutcome outcome;
    if (!child.running) return outcome;
    char buffer[512];
    for (ssize_t n; (n = ::read(child.message.get(), buffer, 512)) > 0;) {
      outcome.message.append(buffer, static_cast<std::size_t>(n));
    }
    int state = 0;
    ::waitpid(child.pid, &state, 0);
    child.running = false;
    if (WIFEXITED(state)) outcome.exit_code = WEXITSTATUS(state);
    if (WIFSIGNALED(state)) outcome.signal = WTERMSIG(state);
    outcome.seconds = since_start_.Seconds();
    return outcome;
  }

  std::vector<Child> children_;
  Stopwatch since_start_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_FORK_RANKS_H_
